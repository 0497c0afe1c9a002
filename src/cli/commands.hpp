#pragma once

#include <string>
#include <vector>

#include "cli/interrupt.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"

namespace weir::cli {

inline constexpr int done_exit = 0, failed_exit = 1, usage_exit = 2;

// Each command gives the program's exit code. `arguments` are those `settings` were parsed from,
// the command's name left out.

int plan_command(const Settings& settings);
int footprint_command(const Settings& settings);
int probe_command(const Settings& settings, const Interrupt& interrupt);
int run_command(const Settings& settings, const Interrupt& interrupt);
int sweep_command(const Settings& settings, const std::vector<std::string>& arguments,
                  const Interrupt& interrupt);
int tune_command(const Settings& settings, const Interrupt& interrupt);
int verify_command(const Settings& settings, const Interrupt& interrupt);
/// Draws a report that was saved: the file `data` to the page `html`.
int page_command(const Settings& settings);
int demo_command(const Settings& settings, const Interrupt& interrupt);

/// The text to stdout, or the JSON to where --json says, or both; the page to where --html says.
/// Throws std::runtime_error naming the file that cannot be written.
void emit(const Settings& settings, const report::Json& json, const std::string& text);

/// 0, 1 or 130, by how a run ended.
int exit_code(const report::Run& run);

/// Parses, runs, and turns what is thrown into a message on stderr and an exit code.
int program(const std::vector<std::string>& arguments);

}  // namespace weir::cli
