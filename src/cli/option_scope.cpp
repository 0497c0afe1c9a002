#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "cli/parse.hpp"
#include "cli/settings.hpp"
#include "options/option_row.hpp"

namespace weir::cli {
namespace {

/// A set of commands.
class Commands {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a row of the table lists its commands
  constexpr Commands(std::initializer_list<Command> commands) {
    for (const auto command : commands) bits_ |= bit(command);
  }
  constexpr bool contains(Command command) const noexcept { return (bits_ & bit(command)) != 0; }

 private:
  static constexpr std::uint32_t bit(Command command) noexcept {
    return 1u << static_cast<std::uint32_t>(command);
  }
  std::uint32_t bits_ = 0;
};

}  // namespace

bool belongs_to(std::string_view option, Command command) noexcept {
  using enum Command;
  // Commands that drain streams, those that plan a loader, and those that drain all of an epoch.
  static constexpr Commands streams{run, sweep, tune, verify},
      plans{plan, run, sweep, tune, verify}, epochs{run, sweep, verify},
      sizes{plan, run, sweep, verify, order}, decodes{probe, run, sweep, tune, verify},
      loads{plan, probe, run, sweep, tune, verify},
      windows{plan, probe, run, sweep, tune, verify, order},
      orders{plan, run, sweep, tune, verify, order}, one_rank{run, sweep, tune, order},
      positions{plan, run, sweep, tune, verify, order, pack};

  // Options that the table of options does not have, or that fewer or more commands take than their part
  // says. What is in neither belongs to each command whose groups have it.
  //
  // probe takes batch, queue and threads, because they decide what a budget leaves for one sample. tune
  // takes order and epochs, because the command that it proposes has them.
  static constexpr struct {
    std::string_view options;
    Commands commands;
  } scopes[] = {
      {"--options --batch", {plan, footprint, probe, run, sweep, tune, verify, order}},
      {"--config", {plan, probe, run, sweep, tune, verify, order, pack}},
      {"--workers", {plan, probe, run, sweep, tune, verify, order, pack}},
      {"--fit", {plan, footprint, probe, run, sweep, tune, verify, order}},
      {"--plane", {plan, probe, run, sweep, tune, verify, order, pack}},
      {"--annotation", {plan, probe, run, sweep, tune, verify, pack}},
      {"--strict", loads},
      {"--short-side", {probe, run, sweep, tune, verify, order, pack}},
      {"--read-delay-ms", decodes},
      {"--dtype", {plan, footprint, run, sweep, tune, verify}},
      {"--layout --consumer-ms --consumer-trace --watchdog --tolerate", streams},
      {"--cache --slab-memory", plans},
      {"--tuning", {plan, run, verify}},
      {"--shuffle", positions},
      {"--world", orders},
      {"--rounds --only-depth", {sweep}},
      {"--ranks --rank", one_rank},
      {"--ranks-per-node", {plan, run, sweep, tune}},
      {"--resume", {run, order}},
      {"--samples --save-progress --trace --trace-events", {run}},
      {"--windows", {order}},
      {"--epochs --steps", {run, sweep, tune, verify, order}},
      {"--settle --digest --metrics-port --metrics-address", epochs},
      {"--on-fault", {run, sweep, tune, verify, pack}},
      {"--target-readiness", {tune}},
      {"--out", {index}},
      {"--verify", {probe, run, sweep, tune}},
      {"--grid", {plan}},
      {"--json", {plan, footprint, probe, run, sweep, tune, verify, pack, index, demo}},
      {"--html", {run, sweep, tune, demo}},
      {"--each", {probe}},
      {"--list-bad", {probe, pack}},
      {"--quiet",
       {plan, footprint, probe, run, sweep, tune, verify, order, pack, index, demo, page}},
  };
  const auto* const row =
      std::ranges::find_if(scopes, [&](const auto& each) { return lists(each.options, option); });
  if (row != std::end(scopes)) return row->commands.contains(command);
  using options::Part;
  const auto found = std::ranges::find(options::rows(), option, &options::Row::option);
  if (option.empty() || found == options::rows().end()) return true;
  switch (found->part) {
    case Part::window: return windows.contains(command);
    case Part::decoder:
    case Part::row:
    case Part::queue: return loads.contains(command);
    case Part::sizes: return sizes.contains(command);
    case Part::order: return positions.contains(command);
    case Part::batch: return orders.contains(command);
    case Part::sample: return loads.contains(command) || command == pack;
    default: return true;
  }
}

}  // namespace weir::cli
