#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace weir::cli {

struct ChildResult {
  int exit_code = 0;   ///< 128 + the signal, where one ended it
  std::string output;  ///< its stdout
};

/// Runs this program once more, in a process of its own whose stderr is ours, and waits. A stop
/// asked for on the way is passed on as SIGINT; the child is in a process group of its own, or a
/// terminal's ^C would reach it twice. Throws std::system_error where no process can be had.
ChildResult run_self(const std::vector<std::string>& arguments, const std::stop_token& stop);

/// For the child: SIGTERM when the process that ran it dies.
void end_with_parent();

}  // namespace weir::cli
