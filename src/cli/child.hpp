#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace weir::cli {

struct ChildResult {
  int exit_code = 0;   ///< 128 + the signal number if a signal ended the process
  std::string output;  ///< the child's stdout
};

/// Runs this program in a child process and waits for its end. The child inherits stderr. A stop
/// request is forwarded as SIGINT. The child has its own process group, because a terminal's ^C
/// would otherwise reach it twice. Throws std::system_error if the process cannot be started.
ChildResult run_self(const std::vector<std::string>& arguments, const std::stop_token& stop);

/// The child calls this. It then gets SIGTERM when its parent process ends.
void end_with_parent();

}  // namespace weir::cli
