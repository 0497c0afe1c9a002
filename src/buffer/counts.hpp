#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "books/byte_counts.hpp"
#include "books/peak_watch.hpp"

namespace weir::buffer {

/// Bytes by named account. Thread-safe.
class Counts {
 public:
  Counts() { account("other"); }

  /// The number of the account called `name`. It is created if it does not exist. Other numbers do
  /// not change.
  std::size_t account(std::string_view name) {
    Lock lock(mutex_);
    const auto found = std::ranges::find(names_, name);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    // Everything that may throw is done first.
    std::string made(name);
    names_.reserve(names_.size() + 1);
    bytes_.add_part();
    names_.push_back(std::move(made));
    return names_.size() - 1;
  }
  void add(std::size_t account, std::uint64_t bytes) noexcept {
    Lock lock(mutex_);
    bytes_.add(account, bytes);
  }
  void remove(std::size_t account, std::uint64_t bytes) noexcept {
    Lock lock(mutex_);
    bytes_.remove(account, bytes);
  }
  std::uint64_t live() const noexcept {
    Lock lock(mutex_);
    return bytes_.sum();
  }

  // PeakWatch uses these.
  using Parts = std::vector<std::uint64_t>;
  Mutex& mutex() const noexcept WEIR_RETURN_CAPABILITY(mutex_) { return mutex_; }
  books::ByteCounts<Parts>& bytes() noexcept WEIR_REQUIRES(mutex_) { return bytes_; }
  std::string name(std::size_t account) const {
    Lock lock(mutex_);
    return names_[account];
  }

 private:
  mutable Mutex mutex_;
  std::vector<std::string> names_ WEIR_GUARDED_BY(mutex_);
  books::ByteCounts<Parts> bytes_ WEIR_GUARDED_BY(mutex_);
};

using CountsWatch = books::PeakWatch<Counts>;

}  // namespace weir::buffer
