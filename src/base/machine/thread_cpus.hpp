#pragma once

#include <ctime>

#include <chrono>
#include <optional>
#include <string_view>

#include "base/mutex.hpp"

namespace weir {

/// CPU time of threads.
struct CpuTime {
  std::chrono::nanoseconds used{};
  /// Time in which they were ready to run and had no CPU. Empty: the kernel does not say.
  std::optional<std::chrono::nanoseconds> waited = std::chrono::nanoseconds();
  void add(const CpuTime& other) noexcept;
};

/// The time that a thread was ready to run and had no CPU, from its file schedstat: "nanoseconds on
/// a CPU, nanoseconds of waiting, turns". Empty if the kernel does not count it.
std::optional<std::chrono::nanoseconds> run_delay_in(std::string_view schedstat) noexcept;

/// CPU time of a changing set of threads. The threads themselves do nothing for it while they run.
/// Thread-safe; the mutex is a leaf. Allocates nothing.
class ThreadCpus {
 public:
  /// Counts the thread that constructs it, until it destroys it.
  class Member {
   public:
    explicit Member(ThreadCpus& all) noexcept;
    ~Member();
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;

   private:
    friend class ThreadCpus;
    /// Any thread, while this one lives.
    CpuTime time() const noexcept;

    ThreadCpus& all_;
    std::optional<clockid_t> clock_;
    int id_;
    Member *before_ = nullptr, *next_ = nullptr;
  };

  /// All members until now, also those that have ended.
  CpuTime total() const noexcept;

 private:
  mutable Mutex mutex_;
  Member* first_ WEIR_GUARDED_BY(mutex_) = nullptr;
  CpuTime ended_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir
