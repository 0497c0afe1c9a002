#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <iterator>
#include <numeric>
#include <optional>
#include <vector>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/data.hpp"
#include "cli/output.hpp"
#include "cli/rows.hpp"
#include "cli/window_list.hpp"
#include "conductor/progress.hpp"
#include "plan/order_plan.hpp"
#include "plan/partner_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "source/fingerprint.hpp"
#include "source/name_list.hpp"
#include "source/order.hpp"
#include "source/partner_sampler.hpp"
#include "source/size_order.hpp"
#include "weir/loader.hpp"

namespace weir::cli {
namespace {

/// Which sample has which position.
class Indices {
 public:
  Indices(const Settings& settings, const AnySource& source, std::uint64_t most_bucket_rows)
      : sampler_(source.size(), settings.options.order, settings.options.seed),
        partners_(sampler_, settings.options.partners, source,
                  source::PartnerSampler::labels_for(settings.options.partners, source)) {
    partners_.check_labels();
    const auto& sizes = settings.options.sizes;
    if (sizes.bucket_batches > 0)
      buckets_.emplace(sampler_, sizes.index, sizes.bound(), most_bucket_rows,
                       sizes.bucket_batches);
  }
  std::uint64_t at(std::uint64_t epoch, source::Position position, std::uint64_t bucket_rows) {
    return buckets_ ? buckets_->index(epoch, position, bucket_rows)
                    : sampler_.index(epoch, position);
  }
  /// A cell with the indices of the row's partners. Empty: rows have none.
  std::string partners_of(const source::RowDraw& row) const {
    const auto partners = partners_.of(row);
    return partners.empty() ? "" : fmt::format("{}\t", fmt::join(partners, ","));
  }

 private:
  const source::Sampler sampler_;
  const source::PartnerSampler partners_;
  std::optional<source::SizeOrder> buckets_;
};

/// What Loader::stream() would refuse.
void check_resumed(const Settings& settings, const AnySource& source) {
  if (!settings.resume) return;
  const weir::Progress present{
      .fingerprint = source::fingerprint(source),
      .samples = source::positions_of(settings.options.order, source.size()),
      .seed = settings.options.seed,
      .order = to_string(settings.options.order)};
  const std::string what = "`StreamOptions::resume`";
  const auto buckets =
      plan::batching_of(settings.options, settings.options.ranks, present.samples).buckets;
  conductor::check_same(*settings.resume, present, what, "here");
  conductor::check_buckets(*settings.resume, buckets, what, "here");
  conductor::check_epochs(*settings.resume, settings.stream_epochs(), what);
}

/// Without --rank, all ranks of --world.
std::vector<std::uint32_t> ranks_of(const Settings& settings) {
  if (!settings.all_ranks()) return {settings.options.ranks.rank};
  std::vector<std::uint32_t> all(settings.options.ranks.world);
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

}  // namespace

int order_command(const Settings& typed, const Interrupt& interrupt) {
  auto settings = typed;
  const auto source = open_data(settings, interrupt.token());
  plan::check_order(settings.options.order, source.size());
  plan::check_partners(settings.options, source.size());
  // With size buckets, the sizes of the images decide, so they are measured.
  if (settings.options.sizes.bucket_batches > 0)
    settings.options.sizes.index = measure_sizes(source, settings.options);
  check_resumed(settings, source);
  const auto ranks = ranks_of(settings);
  std::vector<conductor::Schedule> schedules;
  for (const auto rank : ranks)
    schedules.push_back(
        schedule_of(settings, Ranks::given(rank, settings.options.ranks.world), source.size()));
  const auto& first = schedules.front();
  Indices indices(settings, source, first.most_bucket_rows());
  WindowList windows(settings, source);

  constexpr std::size_t piece = 1 << 16;
  const bool terminal = isatty(STDOUT_FILENO) == 1;  // files and pipes get the bytes of the names
  const auto rule = plan::size_rule(settings.options);
  const bool sized = rule && settings.options.sizes.mode == Sizes::fixed;
  const bool with_partners = settings.options.partners.count > 0;
  std::string out = fmt::format("epoch\tposition\tstep\trank\tindex\t{}{}name\n",
                                sized ? "size\t" : "", with_partners ? "partners\t" : "");
  const auto end = std::min(first.end(), settings.steps.value_or(first.end()));
  for (std::uint64_t sequence = 0; sequence < end && !interrupt.raised(); ++sequence) {
    const auto slot = first.at(sequence);
    const auto bucket_rows = first.bucket_rows(slot);
    const auto size = sized ? sides(rule.of({.epoch = slot.epoch, .step = slot.step})) + '\t' : "";
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const auto batch = schedules[i].at(sequence);
      if (batch.rows == 0)
        fmt::format_to(std::back_inserter(out), "{}\t-\t{}\t{}\t-\t{}{}\n", batch.epoch, slot.step,
                       ranks[i], size, with_partners ? "-\t" : "");
      for (std::uint64_t row = 0; row < batch.rows; ++row) {
        const auto position = schedules[i].position(batch, batch.first + row);
        const auto index = indices.at(batch.epoch, position, bucket_rows);
        fmt::format_to(std::back_inserter(out), "{}\t{}\t{}\t{}\t{}\t", batch.epoch,
                       position.value(), slot.step, ranks[i], index);
        auto name = source::name_line(source.name(index));
        if (terminal) {
          name.pop_back();
          name = sanitize_message(name, SIZE_MAX) + '\n';
        }
        out += size + indices.partners_of({batch.epoch, position, index}) + name;
        windows.add(batch, position, index);
      }
      if (out.size() < piece) continue;
      write_stdout(out);
      out.clear();
    }
  }
  write_stdout(out);
  if (interrupt.raised()) {
    if (!settings.windows.empty())
      say("weir: interrupted; --windows {} has no new list\n", as_typed(settings.windows));
    return interrupted_exit;
  }
  windows.close();
  return done_exit;
}

}  // namespace weir::cli
