#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "support/sanitized.hpp"

namespace weir::test {

/// The resources of this process.
struct Holdings {
  int threads = 0, descriptors = 0;
  std::int64_t heap = 0;  ///< bytes; 0 with a sanitizer's heap, which detects leaks itself
};
Holdings holdings();

/// The calling thread, as /proc names it.
pid_t this_thread();
/// True if a thread of this process sleeps in the kernel: in a wait, a join, a lock.
bool asleep(pid_t thread);
/// True if all threads of this process do, except the calling one.
bool others_asleep();

/// Polls until `holds` returns true. Aborts with a message after a minute, because ctest's own time
/// limit would not name the condition.
void until(const std::function<bool()>& holds, const std::string& what);

}  // namespace weir::test
