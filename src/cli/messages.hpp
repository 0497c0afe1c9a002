#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.hpp"
#include "weir/plan.hpp"

namespace weir::cli {

/// The last value of an option on the command line `arguments`. Empty if there is none.
std::string typed(std::string_view option, const std::vector<std::string>& arguments);
/// The option and that value: "--size 64x64".
std::string typed_option(std::string_view option, const std::vector<std::string>& arguments);

/// `text` of the library with the options of the program instead of names of members in backticks.
std::string with_option_names(std::string_view text);

/// The message of `error`. Options have the names and values that the user typed. If memory or threads
/// ran out, it names the options that take them. `settings` is null if the command line was not parsed.
std::string message_of(const std::exception& error, const Settings* settings);

/// "rank 2: " if this process is a rank of an MpiJob, otherwise empty. `settings` is null if the
/// command line was not parsed.
std::string rank_in_job(const Settings* settings);

/// Why a run ended early, for say_error() and the report, with the options of the program.
std::string reason_of(const std::exception& error, const Settings& settings);

/// Throws what the Loader would throw for `settings`, so that no measurement is in vain. Throws Refusal
/// if what they certainly take exceeds the memory that this process can get: the batches of the
/// consumer and one more, and the events of a trace. Gives a hint if all batches together exceed it.
void check_settings(const Settings& settings);

/// A hint if the plan has a shorter queue than requested. It names the option that bounds the queue.
void hint_short_queue(const Settings& settings, const Plan& plan);

/// What to do when bad samples have ended a run with `error`, which names options of the program. Empty if
/// they were not the reason.
std::string ways_out(const Settings& settings, const std::string& error);

/// Writes to stderr why the run ended early. If bad samples were the reason, it adds the ways
/// out. Writes nothing if `error` is empty.
void say_error(const Settings& settings, const std::string& error, std::uint64_t faults);

}  // namespace weir::cli
