#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/output.hpp"

namespace weir::cli {

int demo_command(const Settings& settings, const Interrupt& interrupt) {
  // The time of a read varies much, so that a queue has something to bridge.
  std::vector<std::string> arguments{"sweep",           "synthetic:320,375x500",
                                     "--batch",         "16",
                                     "--epochs",        "1",
                                     "--workers",       "2",
                                     "--read-delay-ms", "2:10",
                                     "--consumer-ms",   "40"};
  const auto tell = [&](const std::string& text) {
    if (!settings.json_on_stdout()) write_wrapped(text + '\n');
  };
  tell(fmt::format(
      "A trainer takes 40 ms for a batch of 16 JPEGs, which are made in memory. A read takes 2 ms "
      "on "
      "average and sometimes much longer, as from network storage. A queue can bridge that time. "
      "The sweep measures memory and throughput of each queue depth, in turns. Each run is a "
      "separate process:\n\n  weir {}\n",
      fmt::join(arguments, " ")));
  if (settings.quiet) arguments.emplace_back("--quiet");
  if (!settings.json.empty()) arguments.insert(arguments.end(), {"--json", settings.json});
  if (!settings.html.empty()) arguments.insert(arguments.end(), {"--html", settings.html});
  const auto code = sweep_command(parse(arguments), interrupt);
  if (code == done_exit) tell("With your data: weir tune FOLDER --consumer-ms 40");
  return code;
}

}  // namespace weir::cli
