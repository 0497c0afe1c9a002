#pragma once

#include <string>

namespace weir::test {

/// What injection_child said.
struct Traced {
  bool possible = true;             ///< false: no strace here, or it may not trace
  bool injected = false;            ///< the call was made, and failed
  std::string first, second, last;  ///< its lines: the run that was traced, the next one, the end
  int status = 0;                   ///< as waitpid gives it
};

/// Runs injection_child on `folder`; while it loads for the first time, strace has each of its threads'
/// calls fail as `inject` says ("openat:error=EIO:when=2").
Traced run_traced(const std::string& folder, const std::string& inject);

}  // namespace weir::test
