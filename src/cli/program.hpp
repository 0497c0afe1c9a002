#pragma once

#include <string>
#include <vector>

namespace weir::cli {

inline constexpr int done_exit = 0, failed_exit = 1, usage_exit = 2;

/// Parses the arguments and runs the command. Turns an exception into a message on stderr and an
/// exit code.
int program(const std::vector<std::string>& arguments);

}  // namespace weir::cli
