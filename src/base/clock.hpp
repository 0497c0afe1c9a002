#pragma once

#include <chrono>
#include <ctime>

namespace weir {

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::duration d) noexcept {
  return std::chrono::duration<double>(d).count();
}

/// `time` in ticks of the clock. The largest duration if `time` exceeds it.
constexpr Clock::duration saturated(std::chrono::milliseconds time) noexcept {
  constexpr auto most = std::chrono::floor<std::chrono::milliseconds>(Clock::duration::max());
  return time > most ? Clock::duration::max() : Clock::duration(time);
}

/// CPU time on one of the system's clocks; 0 if it does not exist. This is a system call, unlike
/// Clock::now().
inline std::chrono::nanoseconds cpu_time(clockid_t clock) noexcept {
  std::timespec used{};
  clock_gettime(clock, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}
/// CPU time that all threads of this process have used.
inline double process_cpu_seconds() noexcept { return seconds(cpu_time(CLOCK_PROCESS_CPUTIME_ID)); }
/// CPU time that the calling thread has used.
inline std::chrono::nanoseconds thread_cpu_time() noexcept {
  return cpu_time(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace weir
