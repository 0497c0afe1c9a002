#pragma once

#include <algorithm>
#include <ctime>

namespace weir::test {

inline double ms_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// The CPU time of all threads of this process, in milliseconds.
inline double cpu_ms() { return ms_of(CLOCK_PROCESS_CPUTIME_ID); }

/// The CPU time of all threads except the calling one.
inline double others_cpu_ms() { return cpu_ms() - ms_of(CLOCK_THREAD_CPUTIME_ID); }

/// The least CPU time of three calls: other processes can only add to it, by evicting this one from
/// the CPU's caches.
template <class F>
double least_cpu_ms(const F& call) {
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double before = cpu_ms();
    call();
    least = std::min(least, cpu_ms() - before);
  }
  return least;
}

}  // namespace weir::test
