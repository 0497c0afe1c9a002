#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "cli/settings.hpp"

namespace weir::cli {

/// What `error` says of the command line `arguments`: options have the names and values that were
/// written there.
std::string message_of(const std::exception& error, const std::vector<std::string>& arguments);

/// To stderr: why the run ended early, and the ways out where a bad sample was the reason. Nothing
/// where it ran to its end.
void say_error(const Settings& settings, const std::string& error, std::uint64_t faults);

}  // namespace weir::cli
