#pragma once

#include <ctime>

namespace weir::test {

/// Milliseconds of CPU time that all threads of this process have had.
inline double cpu_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace weir::test
