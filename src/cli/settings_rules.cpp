#include "cli/settings_rules.hpp"

#include <algorithm>
#include <memory>
#include <string>

#include "weir/memory.hpp"

namespace weir::cli {
namespace {

constexpr struct {
  const char *one, *other;
} exclusive[] = {
    {"--strict", "--lenient"}, {"--consumer-ms", "--consumer-trace"}, {"--grid", "--model"}};

[[noreturn]] void refuse(const std::string& why) { throw Refusal{2, "weir: " + why + "\n"}; }

class Given {
 public:
  explicit Given(const CLI::App& command) : command_(command) {}

  bool has(const char* option) const {
    const auto* const found = command_.get_option_no_throw(option);
    return found != nullptr && found->count() > 0;
  }
  void refuse_where_given(const char* option, const std::string& why) const {
    if (has(option)) refuse(std::string(option) + ": " + why);
  }
  std::string command() const { return command_.get_name(); }

 private:
  const CLI::App& command_;
};

/// Refuses what has no say beside --sizes.
void check_sizes(const Given& given, Settings& settings) {
  const auto mode = settings.options.sizes.mode;
  if (mode == Sizes::fixed) {
    given.refuse_where_given("--max-size",
                             "for --sizes padded and ragged; with fixed, --size says it");
    given.refuse_where_given("--bucket", "for --sizes padded");
    return;
  }
  if (settings.command == Command::tune || settings.command == Command::probe)
    given.refuse_where_given("--sizes", given.command() +
                                            " takes images of one shape; padded and ragged are "
                                            "for plan, run, sweep and verify");
  for (const auto* option : {"--size", "--fit", "--short-side"})
    given.refuse_where_given(
        option, "for --sizes fixed; with padded and ragged, --max-size bounds the images");
  if (mode == Sizes::ragged)
    given.refuse_where_given("--bucket",
                             "for --sizes padded; a ragged batch has no padding to lessen");
  for (const auto* option : {"--model", "--grid"})
    given.refuse_where_given(option, "takes images of one shape, --sizes fixed");
  if (settings.options.tuning.mode == Tuning::automatic)
    given.refuse_where_given("--tuning", "automatic takes images of one shape, --sizes fixed");
  if (settings.data.empty())
    refuse("--sizes: images of their own sizes are measured, so DATA is needed");
  // A prediction takes all images for alike.
  settings.foretell = false;
}

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
  const Given given(command);
  check_sizes(given, s);
  for (const auto& [one, other] : exclusive)
    if (given.has(one) && given.has(other))
      refuse(std::string(one) + " and " + other + " exclude each other");
  const bool plans = s.command == Command::plan;
  if (s.depths.size() > 1 && s.command != Command::sweep && !plans)
    refuse("--max-queue-size takes a list in sweep and plan alone");
  if (plans && s.model.micro_batch && s.model.path.empty()) refuse("--micro-batch needs --model");

  s.batch_asked = given.has("--batch");
  s.size_asked = given.has("--size");
  if (s.lenient) s.options.faults.strict = false;
  take_slabs_from(s);
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
