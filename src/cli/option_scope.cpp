#include <algorithm>
#include <string_view>

#include "cli/command_line.hpp"
#include "cli/parse.hpp"
#include "cli/settings.hpp"
#include "options/option_row.hpp"

namespace weir::cli {

bool belongs_to(std::string_view option, Command command) noexcept {
  // Commands that drain streams, that plan a loader, that drain all of an epoch, and so on.
  static constexpr std::string_view streams = "run sweep tune verify",
                                    plans = "plan run sweep tune verify",
                                    epochs = "run sweep verify",
                                    sizes = "plan run sweep verify order",
                                    decodes = "probe run sweep tune verify",
                                    loads = "plan probe run sweep tune verify",
                                    windows = "plan probe run sweep tune verify order",
                                    orders = "plan run sweep tune verify order",
                                    one_rank = "run sweep tune order",
                                    positions = "plan run sweep tune verify order pack";

  // Options that the table of options does not have, or that fewer or more commands take than their part
  // says. What is in neither belongs to each command whose groups have it.
  //
  // probe takes batch, queue and threads, because they decide what a budget leaves for one sample. tune
  // takes order and epochs, because the command that it proposes has them.
  static constexpr struct {
    std::string_view options, commands;
  } scopes[] = {
      {"--options --batch", "plan footprint probe run sweep tune verify order"},
      {"--config", "plan probe run sweep tune verify order pack"},
      {"--workers", "plan probe run sweep tune verify order pack"},
      {"--fit", "plan footprint probe run sweep tune verify order"},
      {"--plane", "plan probe run sweep tune verify order pack"},
      {"--annotation", "plan probe run sweep tune verify pack"},
      {"--strict", loads},
      {"--short-side", "probe run sweep tune verify order pack"},
      {"--read-delay-ms", decodes},
      {"--dtype", "plan footprint run sweep tune verify"},
      {"--layout --consumer-ms --consumer-trace --watchdog --tolerate", streams},
      {"--cache --cache-tiles --slab-memory", plans},
      {"--tuning", "plan run verify"},
      {"--shuffle", positions},
      {"--world --schedule", orders},
      {"--rounds --only-depth", "sweep"},
      {"--ranks --rank", one_rank},
      {"--ranks-per-node", "plan run sweep tune"},
      {"--resume", "run order"},
      {"--samples --save-progress --trace --trace-events", "run"},
      {"--windows", "order"},
      {"--epochs --steps", "run sweep tune verify order"},
      {"--settle --digest --metrics-port --metrics-address", epochs},
      {"--on-fault", "run sweep tune verify pack"},
      {"--target-readiness", "tune"},
      {"--out", "index"},
      {"--verify", "probe run sweep tune"},
      {"--grid", "plan"},
      {"--json", "plan footprint probe run sweep tune verify pack index demo"},
      {"--html", "run sweep tune demo"},
      {"--each", "probe"},
      {"--list-bad", "probe pack"},
      {"--quiet", "plan footprint probe run sweep tune verify order pack index demo page"},
  };
  const auto among = [command](std::string_view these) { return lists(these, name_of(command)); };
  const auto* const scope =
      std::ranges::find_if(scopes, [&](const auto& each) { return lists(each.options, option); });
  if (scope != std::end(scopes)) return among(scope->commands);
  const auto row = std::ranges::find(options::rows(), option, &options::Row::option);
  if (option.empty() || row == options::rows().end()) return true;
  using options::Part;
  switch (row->part) {
    case Part::window: return among(windows);
    case Part::decoder:
    case Part::row:
    case Part::queue: return among(loads);
    case Part::sizes: return among(sizes);
    case Part::order: return among(positions);
    case Part::batch: return among(orders);
    case Part::sample: return among(loads) || command == Command::pack;
    default: return true;
  }
}

}  // namespace weir::cli
