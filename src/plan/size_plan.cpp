#include "plan/size_plan.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "conductor/batch_sizes.hpp"
#include "conductor/scheduled_supply.hpp"
#include "options/refuse.hpp"
#include "plan/pixel_plan.hpp"
#include "source/order.hpp"

namespace weir::plan {
namespace {

/// Sums over the batches of one epoch.
struct EpochSizes {
  std::uint64_t batches = 0, slab_bytes = 0, least = unlimited, image_bytes = 0, block_bytes = 0;
  double padding() const noexcept {
    return block_bytes == 0
               ? 0
               : 1 - static_cast<double>(image_bytes) / static_cast<double>(block_bytes);
  }
};

/// An order can draw any number of positions, but the plan must end.
constexpr std::uint64_t many_positions = 1 << 20;

EpochSizes first_epoch(const Options& options, const Ranks& ranks, std::uint32_t bucket_batches) {
  const auto& sizes = options.sizes;
  const source::Sampler sampler(sizes.index->size(), options.order, options.seed);
  const conductor::Schedule schedule(
      {sampler.positions(), options.batch, options.drop_last, {ranks.rank, ranks.world}}, 1);
  conductor::BatchSizes batches(
      source::SizeOrder(sampler, sizes.index, sizes.bound(), schedule.most_bucket_rows(),
                        bucket_batches),
      std::make_shared<conductor::ScheduledSupply>(schedule, sampler),
      {sizes.mode, options.batch, options.memory.alignment, row_form(options),
       options.faults.policy, sizes.multiple_of, size_rule(options)});
  EpochSizes epoch;
  const auto most = std::max(many_positions, sampler.samples()) / options.batch + 1;
  for (std::uint64_t sequence = 0; sequence < std::min(most, schedule.end()); ++sequence) {
    const auto& batch = batches.of(schedule.at(sequence));
    if (batches.failed().error) std::rethrow_exception(batches.failed().error);
    ++epoch.batches;
    epoch.slab_bytes = add_sat(epoch.slab_bytes, batch.layout.bytes);
    epoch.least = std::min(epoch.least, batch.layout.bytes);
    epoch.block_bytes =
        add_sat(epoch.block_bytes, batch.layout.of_image(0, buffer::ImageColumnId::pixels).bytes);
    for (const auto& extent : batch.extents)
      epoch.image_bytes = add_sat(epoch.image_bytes, batch.layout.form.images[0].bytes_in(extent));
  }
  return epoch;
}

/// Refuses an index of images for encoded samples, which have a height of 1, and the converse if it
/// is certain.
void check_index(const Options& o) {
  std::uint32_t height = 0, width = 0;
  for (std::uint64_t i = 0; i < o.sizes.index->size(); ++i) {
    height = std::max(height, (*o.sizes.index)[i].height);
    width = std::max(width, (*o.sizes.index)[i].width);
  }
  if (o.decode == Decode::none && height > 1)
    refuse("`sizes.index` is of images; measure it with `decode` = none, see measure_sizes()");
  if (o.decode != Decode::none && height == 1 && width > o.limits.max_side)
    refuse(
        "`sizes.index` is of encoded samples; measure it without `decode` = none, see "
        "measure_sizes()");
}

/// The batch of the largest images, independent of the order.
buffer::SlabLayout largest_layout(const Options& options, ImageSize largest) {
  const auto& sizes = options.sizes;
  const auto samples = sizes.index->size();
  const auto positions = source::positions_of(options.order, samples);
  const auto rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(options.batch, positions));
  const auto alignment = options.memory.alignment;
  const auto form = row_form(options);
  if (sizes.mode == Sizes::padded || sizes.size.of) {
    buffer::ImageSums all;
    for (std::uint32_t row = 0; row < rows; ++row) all.add(form, largest);
    return buffer::SlabLayout::of(form, sizes.mode, all, sizes.multiple_of, rows, alignment);
  }
  const bool skips = options.faults.policy == OnFault::skip;
  const bool repeats = source::repeats(options.order.kind);
  // The largest rows of one column, which need not be those of another.
  const auto most_bytes = [&](auto bytes_of) {
    const auto bytes_at = [&](std::uint64_t i) {
      return bytes_of(scaled_within((*sizes.index)[i], sizes.bound()));
    };
    std::uint64_t largest_bytes = 0;
    for (std::uint64_t i = 0; i < samples; ++i)
      largest_bytes = std::max(largest_bytes, bytes_at(i));
    // All rows can have the same image.
    if (repeats) return mul_sat(rows, largest_bytes);
    // A replacement fills the row of an unreadable image, so a batch can contain the same image
    // twice.
    const auto unreadable = skips ? largest_bytes : 0;
    // A heap of the largest `rows` of all, so that this memory does not grow with the samples.
    std::priority_queue<std::uint64_t, std::vector<std::uint64_t>, std::greater<>> heap;
    for (std::uint64_t i = 0; i < samples; ++i) {
      const auto bytes = bytes_at(i) > 0 ? bytes_at(i) : unreadable;
      if (heap.size() < rows) {
        heap.push(bytes);
      } else if (rows > 0 && bytes > heap.top()) {  // an order may draw nothing
        heap.pop();
        heap.push(bytes);
      }
    }
    std::uint64_t sum = 0;
    for (; !heap.empty(); heap.pop()) sum = add_sat(sum, heap.top());
    return sum;
  };
  buffer::ImageSums all;
  for (std::size_t i = 0; i < form.images.size(); ++i)
    all.bytes[i] = most_bytes([&](ImageSize size) { return form.images[i].bytes_in(size); });
  return buffer::SlabLayout::ragged(form, all, rows, alignment);
}

}  // namespace

void check_encoded(const Options& o) {
  if (o.decode != Decode::none) return;
  const char* const what =
      o.sizes.mode == Sizes::padded        ? "`sizes.mode` = padded is of images"
      : o.cache.keep == Cache::decoded     ? "`cache.keep` = decoded keeps pixels; use encoded"
      : o.tuning.mode == Tuning::automatic ? "`tuning.mode` = automatic predicts decodes"
                                           : nullptr;
  if (what)
    refuse("`decode` = none: a row is an encoded sample, and ", what, "; leave it at its default");
}

void check_sizes(const Options& o, std::uint64_t samples) {
  const auto& sizes = o.sizes;
  const auto& [name, of] = sizes.size;
  if (of) check_name("sizes.size.name", name);
  if (!of && !name.empty()) refuse("`sizes.size.name` without `sizes.size.of`: remove it");
  if (sizes.mode == Sizes::fixed) return;
  if (of && (!sizes.max_height || !sizes.max_width))
    refuse(
        "`sizes.size.of`: with `sizes.mode` padded and ragged, `sizes.max_height` and "
        "`sizes.max_width` bound its sizes; give both");
  if (!sizes.index)
    refuse("`sizes.index`: null; where sizes differ they are to be known, see measure_sizes()");
  if (samples != 0 && sizes.index->size() != samples)
    refuse("`sizes.index`: of ", sizes.index->size(), " samples, the source has ", samples,
           "; measure them again, see measure_sizes()");
  check_index(o);
  if (o.transform.apply && o.transform.input == TransformInput::decoded && !of)
    refuse(
        "`transform.input` = decoded: a crop of one's own is of one shape; with `sizes.mode` "
        "padded and ragged a transform is given what lies in its row, TransformInput::fitted; or "
        "sizes.size gives the size of the row");
  if (o.tuning.mode == Tuning::automatic)
    refuse("`tuning.mode` = automatic: predicting takes images of one shape, `sizes.mode` fixed");
}

void try_steps(const Options& options, std::uint64_t steps) {
  const auto rule = size_rule(options);
  for (std::uint64_t step = 0; rule && step < std::min(steps, many_positions); ++step)
    rule.check_again({.step = step}, rule.of({.step = step}));
}

void try_epochs(const Options& options, std::uint64_t first, std::uint64_t end) {
  const auto rule = size_rule(options);
  SizeInput sample{.epoch = first};
  if (!rule) return;
  if (options.sizes.mode != Sizes::fixed) {
    const auto& index = *options.sizes.index;
    for (sample.index = 0; sample.image.height == 0; ++sample.index) {
      if (sample.index == index.size()) return;
      sample.image = index[sample.index];
    }
    --sample.index;
  }
  constexpr std::uint64_t most = 1000;
  for (; sample.epoch < end && sample.epoch - first < most; ++sample.epoch) (void)rule.of(sample);
}

SizeFigures size_figures(const Options& options, const Ranks& ranks) {
  const auto& sizes = options.sizes;
  SizeFigures figures;
  auto& plan = figures.plan;
  plan.mode = sizes.mode;
  plan.bucket_batches = sizes.bucket_batches;
  plan.multiple_of = sizes.multiple_of;
  plan.bound = sizes.bound();
  plan.size = sizes.size.name;
  const auto samples = sizes.index->size();
  for (std::uint64_t i = 0; i < samples; ++i) {
    const auto size = scaled_within((*sizes.index)[i], plan.bound);
    plan.largest = {std::max(plan.largest.height, size.height),
                    std::max(plan.largest.width, size.width)};
    if (size.height == 0) ++plan.unknown;
  }
  const auto rule = size_rule(options);
  if (rule) plan.largest = rule.ceiling();
  const auto epoch = first_epoch(options, ranks, sizes.bucket_batches);
  if (epoch.batches > 0) {
    plan.least_slab_bytes = epoch.least;
    plan.typical_slab_bytes = epoch.slab_bytes / epoch.batches;
  }
  // Later epochs may have smaller batches.
  if (rule)
    plan.least_slab_bytes =
        buffer::SlabLayout::padded(row_form(options), {1, 1}, 1, options.memory.alignment).bytes;
  plan.padding = plan.padding_without_buckets = epoch.padding();
  if (sizes.bucket_batches > 0)
    plan.padding_without_buckets = first_epoch(options, ranks, 0).padding();
  const auto layout = largest_layout(options, plan.largest);
  figures.most_slab_bytes = layout.bytes;
  plan.most_pixel_bytes = layout.of_image(0, buffer::ImageColumnId::pixels).bytes;
  const auto positions = source::positions_of(options.order, samples);
  figures.index_bytes = add_sat(
      sizes.index->bytes(),
      add_sat(source::SizeOrder::memory_bytes(
                  positions, samples, mul_sat(options.batch, ranks.world), sizes.bucket_batches),
              conductor::BatchSizes::memory_bytes(std::max(positions, samples), options.batch)));
  return figures;
}

}  // namespace weir::plan
