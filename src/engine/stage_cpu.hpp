#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "engine/thread_stats.hpp"

namespace weir::engine {

/// Measures the CPU time of a thread's first read or decode, and then of one in 16, or of the next if
/// the measured one took a millisecond. Reading the CPU time is a system call. One measurement in 2 ms
/// was wrong: the scheduler takes a CPU away after such times, so too many measured calls lost theirs.
/// Not thread-safe.
class StageCpu {
 public:
  StageCpu(ThreadStats& thread_stats, Stage stage) noexcept
      : thread_stats_(thread_stats), stage_(stage) {}
  void begins() noexcept {
    looking_ = skip_ == 0;
    if (looking_)
      begun_ = thread_cpu_time();
    else
      --skip_;
  }
  /// Not called for work that fails or starts again.
  void ends(Clock::duration busy) noexcept {
    if (!std::exchange(looking_, false)) return;
    thread_stats_.took(stage_, thread_cpu_time() - begun_, busy);
    if (busy < std::chrono::milliseconds(1)) skip_ = one_in - 1;
  }

 private:
  static constexpr std::uint32_t one_in = 16;
  ThreadStats& thread_stats_;
  Stage stage_;
  std::uint32_t skip_ = 0;
  bool looking_ = false;
  std::chrono::nanoseconds begun_{};
};

}  // namespace weir::engine
