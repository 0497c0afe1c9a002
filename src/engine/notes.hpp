#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"

namespace weir::engine {

/// The first messages that a loader recorded on one subject. Thread-safe.
class Notes {
 public:
  static constexpr std::size_t kept = 1000;

  /// Returns the index of the message in read(). If `kept` messages are stored, the new one is
  /// dropped.
  std::size_t add(std::string text) {
    Lock lock(mutex_);
    if (texts_.size() == kept) return kept;
    texts_.push_back(std::move(text));
    return texts_.size() - 1;
  }
  std::vector<std::string> read() const {
    Lock lock(mutex_);
    return texts_;
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> texts_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::engine
