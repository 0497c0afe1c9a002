#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::cli {

/// What is wrong with `arguments`, as a message for the user. CLI11 has refused them with `error`.
/// `command` is the command that they name; null if they name none.
std::string usage_error(const CLI::ParseError& error, const CLI::App& app, const CLI::App* command,
                        const std::vector<std::string>& arguments);

/// The options of a command that help and completions show.
std::vector<const CLI::Option*> shown_options(const CLI::App& command);

/// The candidate that is most similar to `word`. At most two letters, or a quarter of the letters of a
/// long word, may differ. Empty if there is none.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace weir::cli
