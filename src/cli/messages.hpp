#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "cli/settings.hpp"

namespace weir::cli {

/// The message of `error` for the command line `arguments`. Options have the names and values that the
/// user typed.
std::string message_of(const std::exception& error, const std::vector<std::string>& arguments);

/// Writes to stderr why the run ended early. If a bad sample was the reason, it adds the possible
/// solutions. Writes nothing if `error` is empty.
void say_error(const Settings& settings, const std::string& error, std::uint64_t faults);

}  // namespace weir::cli
