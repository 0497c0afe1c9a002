#pragma once

#include <span>
#include <string>

#include "cli/interrupt.hpp"
#include "cli/program.hpp"
#include "cli/settings.hpp"
#include "report/figures.hpp"
#include "report/json.hpp"

namespace weir::cli {

// Each command returns the program's exit code.

int plan_command(const Settings& settings, const Interrupt& interrupt);
int footprint_command(const Settings& settings, const Interrupt&);
int probe_command(const Settings& settings, const Interrupt& interrupt);
int run_command(const Settings& settings, const Interrupt& interrupt);
int sweep_command(const Settings& settings, const Interrupt& interrupt);
int tune_command(const Settings& settings, const Interrupt& interrupt);
int verify_command(const Settings& settings, const Interrupt& interrupt);
/// Lists the positions of an epoch and their samples.
int order_command(const Settings& settings, const Interrupt& interrupt);
/// Writes tar shards of DATA.
int pack_command(const Settings& settings, const Interrupt& interrupt);
/// Writes the index of tar shards.
int index_command(const Settings& settings, const Interrupt& interrupt);
/// Reads the saved report `settings.data` and writes its page to `settings.html`.
int page_command(const Settings& settings, const Interrupt&);
int demo_command(const Settings& settings, const Interrupt& interrupt);

/// Writes the text, with options of the program in place of names of members, to stdout, the JSON to the
/// target of --json, and the page, with `pictures`, to the file of --html. If the target of --json is
/// stdout, the text is not written.
/// Throws std::runtime_error that names the file if a file cannot be written. The others are still
/// written.
void emit(const Settings& settings, const report::Json& json, const std::string& text,
          std::span<const report::PicturedRow> pictures = {});

/// 0 if the run succeeded, 1 if it failed, 130 if it was interrupted.
int exit_code(const report::Run& run);

}  // namespace weir::cli
