#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/option_group.hpp"
#include "weir/memory.hpp"

namespace weir::cli {
namespace {

bool one_shape(const Settings& s) { return s.options.sizes.mode == Sizes::fixed; }
bool own_sizes(const Settings& s) { return !one_shape(s); }
bool ragged(const Settings& s) { return s.options.sizes.mode == Sizes::ragged; }

constexpr auto by_max_size =
    "for --sizes fixed; with padded and ragged, --max-size bounds the images";

/// Conditions under which an option is refused, and the reason.
constexpr struct {
  const char* option;
  bool (*where)(const Settings&);
  const char* why;
} rules[] = {
    {"--max-size", one_shape, "for --sizes padded and ragged; with fixed, --size says it"},
    {"--bucket", one_shape, "for --sizes padded"},
    {"--sizes",
     [](const Settings& s) {
       return own_sizes(s) && (s.command == Command::tune || s.command == Command::probe);
     },
     "tune and probe take images of one shape; padded and ragged are for plan, run, sweep and "
     "verify"},
    {"--size", own_sizes, by_max_size},
    {"--fit", own_sizes, by_max_size},
    {"--short-side", own_sizes, by_max_size},
    {"--bucket", ragged, "for --sizes padded; a ragged batch has no padding to lessen"},
    {"--model", own_sizes, "takes images of one shape, --sizes fixed"},
    {"--grid", own_sizes, "takes images of one shape, --sizes fixed"},
    {"--tuning",
     [](const Settings& s) { return own_sizes(s) && s.options.tuning.mode == Tuning::automatic; },
     "automatic takes images of one shape, --sizes fixed"},
    {"--sizes", [](const Settings& s) { return own_sizes(s) && s.data.empty(); },
     "images of their own sizes are measured, so DATA is needed"},
    {"--max-queue-size",
     [](const Settings& s) {
       return s.depths.size() > 1 && s.command != Command::sweep && s.command != Command::plan;
     },
     "takes a list in sweep and plan alone"},
    {"--micro-batch",
     [](const Settings& s) { return s.command == Command::plan && s.model.path.empty(); },
     "needs --model"},
};

constexpr struct {
  const char *one, *other;
} exclusive[] = {
    {"--strict", "--lenient"}, {"--consumer-ms", "--consumer-trace"}, {"--grid", "--model"}};

void take_slabs_from(Settings& s) {
  const auto take = [&s](const auto& memory) {
    s.options.memory.upstream = memory;
    s.slab_note = [memory] { return memory->note(); };
  };
  if (s.slab_memory == SlabMemory::pinned)
    take(std::make_shared<PinnedMemory>());
  else if (s.slab_memory != SlabMemory::pages)
    take(std::make_shared<PageMemory>(
        PageOptions{.huge = true, .lock = s.slab_memory == SlabMemory::locked}));
}

}  // namespace

void apply_rules(const CLI::App& command, Settings& s) {
  const auto given = [&](const char* option) {
    const auto* const found = command.get_option_no_throw(option);
    return found != nullptr && found->count() > 0;
  };
  for (const auto& [option, where, why] : rules)
    if (given(option) && where(s)) throw Refusal{2, fmt::format("weir: {}: {}\n", option, why)};
  for (const auto& [one, other] : exclusive)
    if (given(one) && given(other))
      throw Refusal{2, fmt::format("weir: {} and {} exclude each other\n", one, other)};

  s.batch_given = given("--batch");
  s.size_given = given("--size");
  // Predictions assume that all images have the same size.
  if (own_sizes(s)) s.predict = false;
  if (s.lenient) s.options.faults.strict = false;
  take_slabs_from(s);
  auto& o = s.options;
  // The default size of a cache is what the budget leaves, so it needs a budget.
  if (o.cache.keep != Cache::nothing && o.cache.max_bytes == 0 &&
      o.memory.budget_bytes == UINT64_MAX) {
    auto budget = auto_budget();
    o.memory.budget_bytes = budget.bytes;
    s.budget_how = std::move(budget.how);
  }
  auto& events = s.options.trace.events;
  constexpr std::uint64_t usual_events = 1u << 18;
  if (s.trace.empty())
    events = 0;
  else if (events == 0)
    events = usual_events;
  if (s.command == Command::sweep && s.depths.empty()) s.depths = {1, 2, 4, 8, 16};
  if (s.only_depth) s.depths = {*s.only_depth};
  if (!s.depths.empty()) s.options.queue.max_queue_size = std::ranges::max(s.depths);
}

}  // namespace weir::cli
