#pragma once

#include <CLI/CLI.hpp>

#include "cli/settings.hpp"

namespace weir::cli {

/// What options mean together, once each was read. Throws Refusal where they contradict one another.
void apply_rules(const CLI::App& command, Settings& settings);

}  // namespace weir::cli
