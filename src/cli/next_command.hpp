#pragma once

#include <string>

#include "cli/settings.hpp"
#include "weir/advice.hpp"

namespace weir::cli {

/// The command line of `command` with the data and the options of `settings.arguments`, and `flag`
/// at the end. Left out are options that `command` does not have, those of its output, and those
/// that `flag` replaces. Words are quoted for a shell.
std::string next_command(const Settings& settings, Command command, const std::string& flag = {});

/// The command to try after `advice`: a run with report::best_lever(); or `otherwise`. Both have the option
/// in `also`, unless the lever sets that option.
std::string next_command(const Settings& settings, const Advice& advice, Command otherwise,
                         const std::string& also = {});

}  // namespace weir::cli
