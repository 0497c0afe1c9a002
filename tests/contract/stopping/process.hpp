#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "support/sanitized.hpp"

namespace weir::test {

/// What this process holds.
struct Holdings {
  int threads = 0, descriptors = 0;
  std::int64_t heap =
      0;  ///< bytes; 0 where the heap is a sanitizer's, which looks for leaks itself
};
Holdings holdings();

/// The calling thread, as /proc names it.
pid_t this_thread();
/// Whether a thread of this process sleeps in the kernel: in a wait, a join, a lock.
bool asleep(pid_t thread);

/// Looks until it holds. Aborts with a message after a minute: a hang that ctest's own limit could
/// not name.
void until(const std::function<bool()>& holds, const std::string& what);

}  // namespace weir::test
