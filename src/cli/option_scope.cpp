#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "cli/settings.hpp"

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

  // Options that mean something for some commands only. The others belong to each command whose groups
  // have them.
  //
  // probe takes batch, queue and threads, because they decide what a budget leaves for one sample. tune
  // takes order and epochs, because the command that it proposes has them.
  static constexpr struct {
    std::string_view option;
    Commands commands;
  } scopes[] = {
      {"--size", windows},
      {"--fit", {plan, footprint, probe, run, sweep, tune, verify, order}},
      {"--pixels", loads},
      {"--fill", loads},
      {"--plane", {plan, probe, run, sweep, tune, verify, order, pack}},
      {"--flip-horizontal", windows},
      {"--flip-vertical", windows},
      {"--random-area", windows},
      {"--random-aspect", windows},
      {"--patch-padding", windows},
      {"--patch-pad-small", windows},
      {"--letterbox-align", windows},
      {"--no-enlarge", windows},
      {"--exif", windows},
      {"--annotation-bytes", loads},
      {"--max-queue-size", loads},
      {"--max-leases", loads},
      {"--read-ahead", loads},
      {"--memory-budget", {plan, probe, run, sweep, tune, verify, pack}},
      {"--max-sample-bytes", {plan, probe, run, sweep, tune, verify, pack}},
      {"--strict", loads},
      {"--lenient", loads},
      {"--sizes", sizes},
      {"--max-size", sizes},
      {"--bucket", sizes},
      {"--multiple-of", sizes},
      {"--short-side", {probe, run, sweep, tune, verify, order, pack}},
      {"--filter", decodes},
      {"--decode", loads},
      {"--dtype", {plan, footprint, run, sweep, tune, verify}},
      {"--layout", streams},
      {"--max-queue-bytes", plans},
      {"--tuning", {plan, run, verify}},
      {"--cache", plans},
      {"--slab-memory", plans},
      {"--seed", positions},
      {"--order", positions},
      {"--shuffle", positions},
      {"--drop-last", orders},
      {"--rounds", {sweep}},
      {"--ranks", one_rank},
      {"--rank", one_rank},
      {"--world", orders},
      {"--ranks-per-node", {plan, run, sweep, tune}},
      {"--resume", {run, order}},
      {"--samples", {run}},
      {"--windows", {order}},
      {"--save-progress", {run}},
      {"--epochs", {run, sweep, tune, verify, order}},
      {"--steps", {run, sweep, tune, verify, order}},
      {"--settle", epochs},
      {"--consumer-ms", streams},
      {"--consumer-trace", streams},
      {"--watchdog", streams},
      {"--read-delay-ms", decodes},
      {"--on-fault", {run, sweep, tune, verify, pack}},
      {"--tolerate", streams},
      {"--target-readiness", {tune}},
      {"--beside", {verify}},
      {"--out", {index}},
      {"--annotation", {plan, probe, run, sweep, tune, verify, pack}},
      {"--verify", {probe, run, sweep, tune}},
      {"--grid", {plan}},
      {"--digest", epochs},
      {"--json", {plan, footprint, probe, run, sweep, tune, verify, pack, index, demo}},
      {"--html", {run, sweep, tune, demo}},
      {"--each", {probe}},
      {"--list-bad", {probe, pack}},
      {"--quiet",
       {plan, footprint, probe, run, sweep, tune, verify, order, pack, index, demo, page}},
      {"--metrics-port", epochs},
      {"--metrics-address", epochs},
      {"--trace", {run}},
      {"--trace-events", {run}},
      {"--only-depth", {sweep}},
  };
  const auto* const row =
      std::ranges::find(scopes, option, [](const auto& each) { return each.option; });
  return row == std::end(scopes) || row->commands.contains(command);
}

}  // namespace weir::cli
