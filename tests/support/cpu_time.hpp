#pragma once

#include <ctime>

namespace weir::test {

/// The CPU time of all threads of this process, in milliseconds.
inline double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace weir::test
