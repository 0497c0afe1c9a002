#pragma once

#include <string>

namespace weir::test {

/// The output of injection_child.
struct Traced {
  bool possible = true;             ///< false: there is no strace, or it may not trace
  bool injected = false;            ///< the call was made, and failed
  std::string first, second, last;  ///< its lines: the traced run, the next one, the end
  int status = 0;                   ///< as from waitpid
};

/// Runs injection_child on `folder`. During the first load, strace fails the calls of each thread
/// as `inject` says ("openat:error=EIO:when=2").
Traced run_traced(const std::string& folder, const std::string& inject);

}  // namespace weir::test
