#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "weir/plan.hpp"

namespace weir::engine {

/// Where the knobs stand, how they came there, and what the watchdog told. Any thread.
class Course {
 public:
  static constexpr std::size_t kept = 1000;

  explicit Course(const Setting& start) : setting_(start) {}
  void set(const Setting& setting) {
    Lock lock(mutex_);
    setting_ = setting;
  }
  Setting setting() const {
    Lock lock(mutex_);
    return setting_;
  }
  /// Its place in moves(), which may not be there.
  std::size_t add(std::string move) {
    Lock lock(mutex_);
    if (moves_.size() == kept) return kept;
    moves_.push_back(std::move(move));
    return moves_.size() - 1;
  }
  std::vector<std::string> moves() const {
    Lock lock(mutex_);
    return moves_;
  }
  void add_stall(std::string stall) {
    Lock lock(mutex_);
    if (stalls_.size() < kept) stalls_.push_back(std::move(stall));
  }
  std::vector<std::string> stalls() const {
    Lock lock(mutex_);
    return stalls_;
  }

 private:
  mutable Mutex mutex_;
  Setting setting_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::string> moves_ WEIR_GUARDED_BY(mutex_);
  std::vector<std::string> stalls_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::engine
