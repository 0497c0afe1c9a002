#pragma once

#include <CLI/CLI.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/settings.hpp"

namespace weir::cli {

/// The options that `pack` is about.
inline constexpr auto pack_heading = "What is stored";

/// Adds arguments and options to `app`. `settings` must outlive it.
void add_options(CLI::App& app, Command command, Settings& settings);

/// Reads NAME[=SOURCE][,key=value…][,optional] and adds the plane to `settings`. Throws
/// std::invalid_argument that says what the text must be.
void add_plane(const std::string& text, Settings& settings);
/// Reads SOURCE[,ext=…][,missing=…] into `settings`. Throws as add_plane().
void add_annotation(const std::string& text, Settings& settings);
/// Throws std::invalid_argument unless `fill` has one value, or one for each channel.
void check_fill(std::string_view fill, PixelFormat pixels);

/// Applies the rules for combinations of options, after the options were read. Throws Refusal if
/// options contradict each other.
void apply_rules(const CLI::App& command, Settings& settings);

/// Whether apply_rules() refuses these two options together.
bool exclude_each_other(std::string_view a, std::string_view b);

/// The options of a command that help and completions show.
std::vector<const CLI::Option*> shown_options(const CLI::App& command);

/// The candidate that is most similar to `word`. At most two letters, or a quarter of the letters of a
/// long word, may differ. Empty if there is none.
std::string closest(std::string_view word, std::span<const std::string> candidates);

}  // namespace weir::cli
