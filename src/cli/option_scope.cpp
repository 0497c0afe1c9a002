#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "cli/parse.hpp"
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
    std::string_view options;
    Commands commands;
  } scopes[] = {
      {"--size --flip-horizontal --flip-vertical --random-area --random-aspect --patch-padding "
       "--patch-pad-small --letterbox-align --no-enlarge --exif",
       windows},
      {"--fit", {plan, footprint, probe, run, sweep, tune, verify, order}},
      {"--pixels --fill --annotation-bytes --max-queue-size --max-leases --read-ahead --strict "
       "--lenient --decode",
       loads},
      {"--plane", {plan, probe, run, sweep, tune, verify, order, pack}},
      {"--memory-budget --max-sample-bytes --annotation",
       {plan, probe, run, sweep, tune, verify, pack}},
      {"--sizes --max-size --bucket --multiple-of", sizes},
      {"--short-side", {probe, run, sweep, tune, verify, order, pack}},
      {"--filter --read-delay-ms", decodes},
      {"--dtype", {plan, footprint, run, sweep, tune, verify}},
      {"--layout --consumer-ms --consumer-trace --watchdog --tolerate", streams},
      {"--max-queue-bytes --cache --slab-memory", plans},
      {"--tuning", {plan, run, verify}},
      {"--seed --order --shuffle", positions},
      {"--drop-last --world", orders},
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
      {"--beside", {verify}},
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
  return row == std::end(scopes) || row->commands.contains(command);
}

}  // namespace weir::cli
