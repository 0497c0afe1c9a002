#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.hpp"
#include "weir/counting.hpp"

namespace weir::buffer {

class CountsWatch;

/// Bytes by named account, and whoever watches their peaks. Any thread.
class Counts {
 public:
  Counts();

  /// The number of the account of that name, made where there is none. Others keep theirs.
  std::size_t account(std::string_view name);
  void add(std::size_t account, std::uint64_t bytes) noexcept;
  void remove(std::size_t account, std::uint64_t bytes) noexcept;
  std::uint64_t live() const noexcept;

 private:
  friend class CountsWatch;

  struct Account {
    std::string name;
    std::uint64_t live = 0;
  };

  mutable Mutex mutex_;
  std::vector<Account> accounts_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t live_ WEIR_GUARDED_BY(mutex_) = 0;
  CountsWatch* watches_ WEIR_GUARDED_BY(mutex_) = nullptr;  ///< intrusive list
};

/// The most that Counts held since this was made, reset or taken; other watches see their own. Any thread.
class CountsWatch {
 public:
  explicit CountsWatch(std::shared_ptr<Counts> counts);
  ~CountsWatch();
  CountsWatch(const CountsWatch&) = delete;
  CountsWatch& operator=(const CountsWatch&) = delete;

  MemoryUse read() const;
  /// read(), and peak := live, with nothing between.
  MemoryUse take();
  void reset() noexcept;

 private:
  friend class Counts;

  struct Peaks {
    std::uint64_t own = 0, together = 0;
  };

  // With counts_->mutex_ held.
  MemoryUse use() const WEIR_NO_THREAD_SAFETY_ANALYSIS;
  void begin() noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS;
  void look(std::size_t account) noexcept WEIR_NO_THREAD_SAFETY_ANALYSIS;

  const std::shared_ptr<Counts> counts_;
  std::uint64_t peak_ = 0;
  std::vector<Peaks> peaks_;  ///< one an account
  CountsWatch* next_ = nullptr;
};

}  // namespace weir::buffer
