#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "cli/settings.hpp"

namespace weir::cli {

/// The message of `error` for the command line `arguments`. Options have the names and values that the
/// user typed. If memory or threads ran out, it names the options that take them. `settings` is null
/// if the command line was not parsed.
std::string message_of(const std::exception& error, const Settings* settings,
                       const std::vector<std::string>& arguments);

/// Why a run ended early, for say_error() and the report. Options have their library names.
std::string reason_of(const std::exception& error, const Settings& settings);

/// Throws Refusal if what `settings` certainly take exceeds the memory that this process can get: the
/// batches of the consumer and one more, and the events of a trace.
void refuse_beyond_memory(const Settings& settings);

/// Writes to stderr why the run ended early. If a bad sample was the reason, it adds the possible
/// solutions. Writes nothing if `error` is empty.
void say_error(const Settings& settings, const std::string& error, std::uint64_t faults);

}  // namespace weir::cli
