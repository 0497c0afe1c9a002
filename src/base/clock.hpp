#pragma once

#include <algorithm>
#include <array>
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

/// Nanoseconds of call(i): the median of nine bursts of `calls`.
template <class Call>
double median_ns(int calls, const Call& call) {
  std::array<double, 9> ns{};
  for (auto& each : ns) {
    const auto begun = Clock::now();
    for (int i = 0; i < calls; ++i) call(i);
    each = 1e9 * seconds(Clock::now() - begun) / calls;
  }
  auto* const middle = ns.data() + ns.size() / 2;
  std::nth_element(ns.data(), middle, ns.data() + ns.size());
  return *middle;
}

}  // namespace weir
