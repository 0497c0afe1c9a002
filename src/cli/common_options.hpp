#pragma once

#include "cli/option_group.hpp"

namespace weir::cli {

// Rows that several commands have.

/// The options that `pack` is about.
constexpr auto pack_heading = "What is stored";
constexpr auto limits_heading = "Limits of one sample; beyond them it is a fault of kind limit";

void add_files(const OptionGroup& group, Settings& settings);
void add_budget(const OptionGroup& group, Settings& settings);
void add_order(const OptionGroup& group, Settings& settings);
void add_exclude(const OptionGroup& group, Settings& settings);
void add_limits(const OptionGroup& group, Settings& settings);

/// All rows of `pack` but DATA and the output.
void add_pack(CLI::App& sub, Settings& settings);

}  // namespace weir::cli
