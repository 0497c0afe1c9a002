#include "cli/survey.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include "api/survey.hpp"
#include "cli/data.hpp"
#include "cli/interrupt.hpp"
#include "cli/parse.hpp"
#include "cli/progress.hpp"
#include "plan/pixel_plan.hpp"
#include "plan/resolve.hpp"
#include "report/bytes.hpp"
#include "report/stats_text.hpp"
#include "weir/error.hpp"

namespace weir::cli {
namespace {

class Counted : public AnySource {
 public:
  Counted(AnySource source, std::atomic<std::uint64_t>& reads)
      : AnySource(std::move(source)), reads_(reads) {}

  std::optional<Encoded> try_read(std::uint64_t i, ByteSink& sink) const {
    ++reads_;
    return AnySource::try_read(i, sink);
  }

 private:
  std::atomic<std::uint64_t>& reads_;
};
static_assert(Source<Counted>);

/// So many samples `weir plan` measures unasked, for the figure of this data. They take seconds.
constexpr std::uint64_t measured_unasked = 10'000;

}  // namespace

Settings surveyed(Settings settings, const AnySource& source, const std::stop_token& stop) {
  auto& options = settings.options;
  options = plan::with_annotation_bytes(std::move(options), source);
  auto& max_sample_bytes = options.memory.max_sample_bytes;
  const bool sizes = options.sizes.mode != Sizes::fixed && !options.sizes.index;
  const bool all = max_sample_bytes == ByteBound::measured;
  const bool unasked = settings.command == Command::plan && source.size() <= measured_unasked;
  if (!sizes && !all && !unasked) return settings;
  api::Survey found;
  {
    std::atomic<std::uint64_t> reads{0};
    const Progress progress(settings, [&] {
      return ProgressLine{{fmt::format("measuring: {} of {}", report::grouped(reads),
                                       report::plural(source.size(), "sample"))}};
    });
    const AnySource counted = Counted(source, reads);
    auto tried = options;
    if (!sizes && !all) tried.memory.budget_bytes.reset();  // the plan says what is too little
    found = api::survey(counted, tried, all || unasked, stop);
  }
  if (stop.stop_requested())
    throw Refusal{interrupted_exit, fmt::format("weir: interrupted while the samples of {} were "
                                                "measured\n",
                                                as_typed(settings.data))};
  if (sizes) options.sizes.index = std::move(found.sizes);
  settings.sample = found.sample;
  if (found.sample.both == 0) return settings;
  if (all) {
    max_sample_bytes = found.sample.both;
  } else if (sizes && !max_sample_bytes && !options.memory.ledger) {
    // As a Loader does. With a shared ledger, what it takes depends on the loaders before it.
    max_sample_bytes =
        plan::resolve(options, {source.index_bytes(), 0, source.size(), found.sample})
            .max_sample_bytes;
  } else {
    return settings;
  }
  settings.sample_how =
      fmt::format("the largest of {} needs {} ({} bytes)", report::plural(source.size(), "sample"),
                  report::human_bytes(found.sample.both), report::grouped(found.sample.both));
  return settings;
}

Plan plan_of(const Settings& settings, std::uint64_t index_bytes, std::uint64_t samples) {
  // surveyed() has set what the data bound.
  return plan::resolve(plan::with_row_sizes(settings.options),
                       {index_bytes, 0, samples, settings.sample, false});
}

Surveyed open_surveyed(const Settings& settings, const std::stop_token& stop, DataNotes* notes) {
  const auto source = open_undelayed(settings, stop, notes);
  auto known = surveyed(settings, source, stop);
  auto slow = delayed(source, known, stop);
  return {std::move(known), std::move(slow)};
}

}  // namespace weir::cli
