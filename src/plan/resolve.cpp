#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "buffer/slab.hpp"
#include "conductor/schedule.hpp"
#include "options/bounds.hpp"
#include "options/option_row.hpp"
#include "options/refuse.hpp"
#include "plan/cache_plan.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/order_plan.hpp"
#include "plan/partner_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "plan/resolve.hpp"
#include "plan/size_plan.hpp"
#include "source/label_index.hpp"
#include "source/order.hpp"
#include "source/weights.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"

namespace weir::plan {
namespace {

constexpr std::uint64_t mib = 1ull << 20;
constexpr std::uint64_t least_sample_bytes = 8 * mib;
constexpr std::uint64_t most_sample_bytes = 256 * mib;

using options::most_queue, options::most_side;

/// Throws if the positions are known and an epoch has no batch.
EpochPlan epoch_of(const Options& o, const Ranks& ranks, std::uint64_t positions) {
  const auto batching = batching_of(o, ranks, positions);
  const conductor::Schedule schedule(batching, 1);
  EpochPlan epoch{.positions = positions, .batches = schedule.batches_per_epoch()};
  if (positions > 0 && epoch.batches == 0)
    refuse_value("batch", o.batch,
                 ranks.world > 1 ? concat("on ", ranks.world, " ranks, ") : std::string(),
                 "with drop_last, an epoch of ", positions,
                 " samples has no batch; use a smaller batch, or keep the last one");
  if (epoch.batches == 0) return epoch;
  const auto global = batching.global_batch();
  const auto last = schedule.at(epoch.batches - 1);
  epoch.samples = schedule.samples_per_epoch();
  epoch.all_samples = (epoch.batches - 1) * global + last.global_rows;
  epoch.omitted = positions - epoch.all_samples;
  epoch.padding_rows = ranks.world - std::min<std::uint64_t>(ranks.world, last.global_rows);
  return epoch;
}

/// The bound of a sample, if the options have its number.
std::optional<std::uint64_t> sample_bytes(const MemoryOptions& memory) {
  return memory.max_sample_bytes ? memory.max_sample_bytes->bytes() : std::nullopt;
}

/// `samples` 0: unknown.
void check(const Options& o, std::uint64_t samples) {
  options::check(o);
  check_fit(o);
  check_pixels(o);
  check_planes(o);
  for (std::size_t i = 0; i < o.codecs.size(); ++i)
    if (!o.codecs[i]) refuse("`codecs[", i, "]` is null: remove it");
  if (!o.annotation_bytes.bytes())
    refuse("`annotation_bytes` = measured: a Loader asks its source; give a number here");
  if (const auto bytes = sample_bytes(o.memory); bytes && *bytes < o.transform.scratch_bytes)
    refuse_value("memory.max_sample_bytes", *bytes,
                 "must be at least `transform.scratch_bytes`, which is ",
                 o.transform.scratch_bytes);
  const auto alignment = o.memory.alignment;
  if ((alignment & (alignment - 1)) != 0)
    refuse_value("memory.alignment", alignment, "must be a power of two, 16 to 2097152");
  const bool measured = samples == 0 && o.sizes.index;
  check_order(o.order, measured ? o.sizes.index->size() : samples);
  check_partners(o, measured ? o.sizes.index->size() : samples);
  check_encoded(o);
  check_sizes(o, samples);
  check_cache(o);
  if (o.short_side != 0)
    within("short_side", o.short_side, std::max(o.shape.height, o.shape.width), most_side);
}

/// `requested`, or the CPUs of the process divided by the ranks that share them.
std::uint32_t workers_for(std::uint32_t requested, const Ranks& ranks) {
  return requested != 0 ? requested : std::max(1u, threads_for(0) / ranks.local_world);
}

/// The bounds of Tuning::automatic. Without it: the requested values.
Setting bounds(const Options& o, const Setting& requested, const Ranks& ranks) {
  if (o.tuning.mode == Tuning::off) return requested;
  const auto deep = std::max(16u, std::min(requested.max_queue_size, most_queue / 4) * 4);
  return {std::max(requested.max_queue_size, o.tuning.most_queue.value_or(deep)),
          std::max(requested.workers, workers_for(o.tuning.most_workers.value_or(0), ranks)),
          std::max(requested.read_ahead, o.tuning.most_read_ahead.value_or(64)), requested.batch};
}

std::string size_text(std::uint64_t bytes) {
  return bytes < mib ? concat(bytes, " bytes") : bytes_text(bytes);
}

OptionProblem below_floor(std::string_view budget, const Plan& plan, std::uint64_t others,
                          std::uint64_t sample, bool sample_was_set) {
  const auto bytes = add_sat(plan.floor_bytes, others);
  // Rounded up: that much is enough. Without a blank it can be pasted as a size.
  const auto least = std::ceil(static_cast<double>(bytes) * 10 / mib) / 10;
  return {std::string(budget), std::to_string(plan.budget_bytes.value_or(unlimited)),
          concat("this needs at least ", format("%.1fMiB", least), ": ",
                 others > 0 ? size_text(others) + " reserved for other loaders, " : std::string(),
                 size_text(plan.index_bytes), " of index (",
                 plan.trace_bytes > 0 ? size_text(plan.trace_bytes) + " of it the trace, " : "",
                 size_text(plan.record_bytes), " of it weir's own records), ", 1 + plan.max_leases,
                 " slabs of ", size_text(plan.slab_bytes), ", ", size_text(sample),
                 plan.partners == 0 ? " for one sample"
                                    : concat(" for one row of ", 1 + plan.partners, " samples"),
                 sample_was_set             ? " (`memory.max_sample_bytes`)"
                 : plan.transform_bytes > 0 ? " and `transform.scratch_bytes`"
                                            : ""),
          // Other loaders may reserve more of a larger budget.
          others > 0 ? "" : concat("exactly ", bytes, " bytes")};
}

/// The options without functions and objects of the caller.
Options detached(Options options, const Plan& plan) {
  if (options.transform.apply) options.transform.apply = [](DecodedSample&) {};  // never called
  if (options.window.choose)
    options.window.choose = [](const WindowInput&, Random&) { return Window{}; };  // never called
  if (options.sizes.size.of)
    options.sizes.size.of = [largest = plan.shape](const SizeInput&) { return largest; };
  if (options.partners.choose)
    options.partners.choose = [](auto&&...) { return std::uint64_t{0}; };  // never called
  options.ranks = plan.ranks;
  options.memory.budget_bytes = plan.budget_bytes;
  options.memory.upstream = nullptr;
  options.memory.ledger = nullptr;
  options.cache = {options.cache.keep, plan.cache.requested};
  options.tuning = {};
  options.watchdog = {};
  options.codecs.clear();
  options.sizes.index = nullptr;
  return options;
}

/// Makes a plan in steps. Each step uses what those before it have found.
class Resolver {
 public:
  Resolver(const Options& options, const Surroundings& given) : options_(options), given_(given) {}

  Plan resolved() && {
    check(options_, given_.samples);
    copy_options();
    resolve_ranks();
    resolve_sizes();
    resolve_index();
    resolve_floor();
    resolve_depth();
    resolve_cache();
    resolve_ceiling();
    auto given = given_;
    if (options_.memory.ledger) given.shares_ledger = true;
    given.tuned = options_.tuning.mode == Tuning::automatic;
    plan_.origin = std::make_shared<Origin>(Origin{detached(options_, plan_), given});
    return std::move(plan_);
  }

 private:
  void copy_options() {
    plan_.short_side = short_side(options_, options_.shape);
    plan_.batch = options_.batch;
    plan_.order = options_.order;
    plan_.partners = partners_.count;
    plan_.max_queue_size_requested = options_.queue.max_queue_size;
    plan_.max_leases = options_.queue.max_leases;
    plan_.max_queue_bytes = options_.queue.max_bytes;
    plan_.annotation_bytes = options_.annotation_bytes.bytes().value_or(0);
    plan_.alignment = options_.memory.alignment;
    plan_.transform_bytes = options_.transform.scratch_bytes;
    plan_.whole_images = options_.transform.takes_whole("image");
    plan_.decode = options_.decode;
    plan_.pixels = options_.pixels;
    plan_.filter = weir::resolved(options_.filter, options_.pixels);
    plan_.fill = options_.fill;
    plan_.planes = options_.planes;
    for (auto& plane : plan_.planes) plane.filter = weir::resolved(plane.filter, plane.pixels);
    plan_.budget_bytes = budget_of(options_.memory);
  }

  void resolve_ranks() {
    plan_.ranks = weir::resolved(options_.ranks);
    plan_.epoch =
        epoch_of(options_, plan_.ranks, source::positions_of(options_.order, given_.samples));
    requested_ = {options_.queue.max_queue_size, workers_for(options_.workers, plan_.ranks),
                  options_.io.read_ahead, options_.batch};
    most_ = bounds(options_, requested_, plan_.ranks);
    plan_.workers = most_.workers;
  }

  /// Sizes of an image, a row and a slab.
  void resolve_sizes() {
    plan_.index_bytes = given_.index_bytes;
    if (sizes_differ_) {
      const auto figures = size_figures(options_, plan_.ranks);
      plan_.sizes = figures.plan;
      plan_.shape = figures.plan.largest;
      plan_.slab_bytes = figures.most_slab_bytes;
      plan_.row_bytes = plan_.sizes.typical_slab_bytes / plan_.batch;
      plan_.index_bytes = add_sat(plan_.index_bytes, figures.index_bytes);
    } else {
      plan_.shape = options_.shape;
      const auto form = row_form(options_);
      plan_.slab_bytes =
          buffer::SlabLayout::fixed(form, plan_.shape, options_.batch, plan_.alignment).bytes;
      plan_.row_bytes = form.row_bytes(plan_.shape);
      plan_.sizes.size = options_.sizes.size.name;
      try_steps(options_, plan_.epoch.batches);
    }
  }

  /// The weights, the trace, and weir's own records of the slabs that the floor has and of the first
  /// threads.
  void resolve_index() {
    auto& index_bytes = plan_.index_bytes;
    if (options_.order.weights) index_bytes = add_sat(index_bytes, options_.order.weights->bytes());
    within("index_bytes() of the source", index_bytes, std::uint64_t{0}, std::uint64_t{1} << 60);
    plan_.trace_bytes = mul_sat(options_.trace.events, trace_event_bytes);
    each_record_ = slab_record_bytes(
        most_rows(options_.batch, plan_.epoch.positions, given_.samples), options_.sizes.vary());
    if (partners_.pick == PartnerPick::same_label)
      index_bytes = add_sat(index_bytes, source::LabelIndex::bytes(given_.samples));
    records_ = recorded_slabs(plan_.max_leases, most_.max_queue_size + plan_.max_leases);
    // No more reads than the queue has rows.
    const auto readers = std::min<std::uint64_t>(
        requested_.read_ahead, std::uint64_t{most_.max_queue_size} * options_.batch);
    plan_.record_bytes = add_sat(mul_sat(records_, each_record_),
                                 thread_record_bytes(requested_.workers, readers, plan_.partners));
    index_bytes = add_sat(index_bytes, add_sat(plan_.trace_bytes, plan_.record_bytes));
  }

  /// What the smallest budget holds, and max_sample_bytes.
  void resolve_floor() {
    const auto requested = sample_bytes(options_.memory);
    // The default bound for a decode without a transform also holds with one.
    const std::uint64_t samples = 1 + std::uint64_t{plan_.partners};
    // The fitted images of partners are in scratch.
    const auto beside = add_sat(
        plan_.transform_bytes,
        plan_.whole_images ? 0
                           : mul_sat(plan_.partners, row_form(options_).row_bytes(plan_.shape)));
    const auto least_default = add_sat(samples * least_sample_bytes, beside);
    const auto most_needed =
        given_.sample_bounds && given_.sample.both != 0 ? given_.sample.both : unlimited;
    const auto least_sample = requested.value_or(std::min(least_default, most_needed));
    const auto fixed = add_sat(plan_.index_bytes, mul_sat(1 + plan_.max_leases, plan_.slab_bytes));
    plan_.floor_bytes = add_sat(fixed, least_sample);
    if (plan_.budget_bytes) available_ = sub_floor(*plan_.budget_bytes, given_.others_promised);
    if (available_ < plan_.floor_bytes)
      throw Error(Errc::budget_too_small, Stage::wait,
                  below_floor(budget_name(options_.memory), plan_, given_.others_promised,
                              least_sample, requested.has_value()));
    plan_.max_sample_bytes =
        requested.value_or(std::min(std::clamp((available_ - fixed) / 4, least_default,
                                               add_sat(samples * most_sample_bytes, beside)),
                                    most_needed));
    plan_.promised_bytes = add_sat(fixed, plan_.max_sample_bytes);
  }

  /// The queue that the budget holds.
  void resolve_depth() {
    const auto most_slabs = most_.max_queue_size + plan_.max_leases;
    if (available_ == unlimited && !sizes_differ_ &&
        mul_sat(most_slabs, plan_.slab_bytes) == unlimited)
      refuse_value("queue.max_queue_size", most_.max_queue_size, "with `queue.max_leases`, ",
                   most_slabs, " batches of ", plan_.slab_bytes,
                   " bytes are more than 2^64; lower it, `batch` or `shape`");
    arenas_ = mul_sat(plan_.workers, typical_arena(plan_));
    const auto for_slabs = sub_floor(
        sub_floor(sub_floor(available_, plan_.index_bytes), plan_.max_sample_bytes), arenas_);
    // If sizes differ, the stream charges the bytes of each batch separately.
    const auto depth = sizes_differ_ ? most_.max_queue_size
                                     : std::min(sub_floor(slabs_in(for_slabs), plan_.max_leases),
                                                queue_bytes_ / plan_.slab_bytes);
    plan_.max_queue_size =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(depth, 1, most_.max_queue_size));
    plan_.slabs = plan_.max_queue_size + plan_.max_leases;
    const auto drawn = std::uint64_t{plan_.max_queue_size} * plan_.batch;
    plan_.read_ahead = static_cast<std::uint32_t>(std::min<std::uint64_t>(most_.read_ahead, drawn));
    plan_.start = {std::min(requested_.max_queue_size, plan_.max_queue_size), requested_.workers,
                   std::min(requested_.read_ahead, plan_.read_ahead), plan_.batch};
    if (!sizes_differ_ || available_ == unlimited) return;
    // The smallest slabs need the most records.
    const auto least =
        static_cast<double>(std::max<std::uint64_t>(1, plan_.sizes.least_slab_bytes));
    const auto share = least / (least + 2 * static_cast<double>(each_record_));
    plan_.sizes.max_staging_bytes =
        std::max(sub_floor(for_slabs, more_records()),
                 static_cast<std::uint64_t>(static_cast<double>(for_slabs) * share));
  }

  /// Slabs, what is read ahead, and the cache, which gets the rest.
  void resolve_cache() {
    auto staging = mul_sat(plan_.slabs, plan_.slab_bytes);
    if (sizes_differ_) {
      // Released slabs are idle until the next batch begins. Their number is at most max_leases.
      const auto ahead = std::min(mul_sat(plan_.max_queue_size, plan_.slab_bytes),
                                  std::max(queue_bytes_, plan_.slab_bytes));
      staging = std::min(
          staging, add_sat(ahead, mul_sat(2 * std::uint64_t{plan_.max_leases}, plan_.slab_bytes)));
    }
    if (const auto* const pinned =
            dynamic_cast<const PinnedMemory*>(options_.memory.upstream.get()))
      plan_.pinned = {staging, pinned->limit(), pinned->note()};
    staged_ = add_sat(plan_.index_bytes,
                      std::min(staging, std::max(plan_.sizes.max_staging_bytes.value_or(unlimited),
                                                 mul_sat(1 + plan_.max_leases, plan_.slab_bytes))));
    const auto beside = sub_floor(available_, add_sat(staged_, plan_.max_sample_bytes));
    const bool bounded = available_ != unlimited;
    if (plan_.read_ahead > 0 && bounded) plan_.read_ahead_bytes = beside / 2;
    const auto reads = std::min(plan_.read_ahead_bytes.value_or(unlimited),
                                mul_sat(plan_.read_ahead, typical_read(plan_)));
    plan_.cache = plan_cache(options_, given_.samples,
                             bounded ? sub_floor(beside, add_sat(arenas_, reads)) : unlimited,
                             plan_.max_sample_bytes, plan_.row_bytes);
  }

  /// The most that can be live.
  void resolve_ceiling() {
    const auto more_threads =
        thread_record_bytes(plan_.workers - requested_.workers,
                            plan_.read_ahead - plan_.start.read_ahead, plan_.partners);
    const auto beside_samples =
        add_sat(add_sat(staged_, plan_.cache.shared ? 0 : plan_.cache.bytes),
                add_sat(more_records(), more_threads));
    const auto ceiling = [&](const LargestSample& of) {
      // Without a budget nothing is refused, so nothing is charged to the reserve.
      const auto of_sample =
          of.both == 0 || plan_.cache.tiles > 0
              ? plan_.max_sample_bytes
              : std::min(add_sat(of.encoded, of.scratch), plan_.max_sample_bytes);
      const auto reserve = available_ == unlimited ? 0 : of_sample;
      return std::min(available_,
                      add_sat(beside_samples, add_sat(working_bytes(plan_, of), reserve)));
    };
    plan_.ceiling_bytes = ceiling({});
    if (given_.sample.both != 0) plan_.data_ceiling_bytes = ceiling(given_.sample);
  }

  /// Slabs beyond the recorded ones need records. Their tables double, so there can be twice as many.
  std::uint64_t slabs_in(std::uint64_t bytes) const {
    const auto each = add_sat(plan_.slab_bytes, mul_sat(2, each_record_));
    return std::max(std::min<std::uint64_t>(bytes / plan_.slab_bytes, records_), bytes / each);
  }
  /// Records of the slabs beyond the recorded ones.
  std::uint64_t more_records() const {
    return mul_sat(plan_.slabs - std::min(plan_.slabs, records_), each_record_);
  }

  const Options& options_;
  const PartnerOptions& partners_ = options_.partners;
  const Surroundings& given_;
  const bool sizes_differ_ = options_.sizes.mode != Sizes::fixed;
  const std::uint64_t queue_bytes_ = options_.queue.max_bytes.value_or(unlimited);
  Plan plan_;
  Setting requested_, most_;
  std::uint64_t each_record_ = 0;  ///< bytes of the records of one slab
  std::uint32_t records_ = 0;      ///< slabs whose records are in record_bytes
  std::uint64_t available_ = unlimited, arenas_ = 0, staged_ = 0;
};

}  // namespace

Options with_row_sizes(Options options) {
  if (options.decode == Decode::none && options.sizes.mode == Sizes::fixed)
    options.sizes.mode = Sizes::ragged;
  return options;
}

Options with_annotation_bytes(Options options, const AnySource& source) {
  if (options.annotation_bytes != ByteBound::measured) return options;
  const auto most = source.annotation_bytes();
  if (!most)
    refuse(
        "`annotation_bytes` = measured: the source does not say how long its annotations are; give "
        "a number. A source in C++ can say it by annotation_bytes()");
  // Elements of up to 8 bytes are aligned.
  options.annotation_bytes = round_up(*most, 8);
  return options;
}

Plan resolve(const Options& options, const Surroundings& given) {
  return Resolver(options, given).resolved();
}

std::uint64_t working_bytes(const Plan& plan, const LargestSample& sample) {
  const bool known = sample.both != 0;
  const auto most = [&](std::uint64_t bytes) {
    return known ? std::min(bytes, plan.max_sample_bytes) : plan.max_sample_bytes;
  };
  // With read-ahead a worker holds the block of its last row until it has taken the next one, and a
  // reader may hold a used block while as many as are read ahead wait for a worker.
  const std::uint64_t of_worker = plan.read_ahead > 0 ? 2 : 1;
  const auto encoded_blocks = of_worker * plan.workers + 2 * std::uint64_t{plan.read_ahead};
  return add_sat(mul_sat(encoded_blocks, most(sample.encoded)),
                 mul_sat(plan.workers, most(sample.scratch)));
}

std::optional<std::uint64_t> budget_of(const MemoryOptions& memory) noexcept {
  return memory.ledger ? memory.ledger->budget()
                       : limit_of(memory.budget_bytes.value_or(unlimited));
}

std::string_view budget_name(const MemoryOptions& memory) noexcept {
  return memory.ledger ? "memory.ledger->budget()" : "memory.budget_bytes";
}

}  // namespace weir::plan

namespace weir {

std::uint64_t Plan::slab_bytes_of(std::uint32_t rows) const noexcept {
  if (sizes.mode != Sizes::fixed) return mul_sat(slab_bytes / batch, rows);
  return buffer::SlabLayout::fixed(plan::row_form(*this), shape, rows, alignment).bytes;
}

Plan resolve(const Options& options, std::uint64_t index_bytes, std::uint64_t others_promised,
             std::optional<std::uint64_t> samples) {
  return plan::resolve(plan::with_row_sizes(options),
                       {index_bytes, others_promised, samples.value_or(0)});
}

DepthCost Plan::cost_of(std::uint32_t depth) const noexcept {
  const std::uint64_t held = std::uint64_t{depth} + max_leases;
  DepthCost cost{.max_queue_size = depth, .staging_bytes = mul_sat(held, slab_bytes)};
  if (decode == Decode::none || is_stored(pixels)) return cost;
  const std::uint64_t stored = value_bytes(pixels);
  const auto values =
      sizes.mode == Sizes::fixed ? mul_sat(batch, row_values()) : sizes.most_pixel_bytes / stored;
  const auto bytes_at = [&](std::uint64_t bytes_each) {
    return mul_sat(held, add_sat(slab_bytes, mul_sat(values, bytes_each - stored)));
  };
  cost.float16_bytes = bytes_at(2);
  cost.float32_bytes = bytes_at(4);
  return cost;
}

std::vector<DepthCost> Plan::depth_cost(std::uint32_t up_to) const {
  within("Plan::depth_cost(up_to)", up_to, 0u, options::most_queue);
  std::vector<DepthCost> costs;
  costs.reserve(up_to);
  for (std::uint32_t depth = 1; depth <= up_to; ++depth) costs.push_back(cost_of(depth));
  return costs;
}

}  // namespace weir
