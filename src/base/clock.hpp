#pragma once

#include <chrono>
#include <ctime>

namespace weir {

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::duration d) noexcept {
  return std::chrono::duration<double>(d).count();
}

/// CPU time that all threads of this process have used.
inline double process_cpu_seconds() noexcept {
  std::timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

/// CPU time that the calling thread has used. This is a system call, unlike Clock::now().
inline std::chrono::nanoseconds thread_cpu_time() noexcept {
  std::timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

}  // namespace weir
