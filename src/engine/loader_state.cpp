#include "engine/loader_state.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "engine/context.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/order_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "plan/resolve.hpp"
#include "source/fingerprint.hpp"
#include "weir/advice.hpp"
#include "weir/memory.hpp"

namespace weir::engine {
namespace {

/// The layout of each slab. If sizes differ, a layout that no slab has.
buffer::SlabLayout layout_of(const Plan& plan) {
  const auto alignment = plan.alignment;
  const auto form = plan::row_form(plan);
  if (plan.sizes.mode == Sizes::fixed)
    return buffer::SlabLayout::fixed(form, plan.shape, plan.batch, alignment);
  return buffer::SlabLayout::of(form, plan.sizes.mode, {}, 1, 0, alignment);
}

std::vector<std::string> names_of(const std::vector<PlaneOptions>& planes) {
  std::vector<std::string> names;
  names.reserve(planes.size());
  for (const auto& plane : planes) names.push_back(plane.name);
  return names;
}

conductor::Policy policy_of(const Options& options, const Plan& plan) {
  const auto& allowed = options.faults;
  return {.max_queue_size = plan.start.max_queue_size,
          .tolerance = {allowed.tolerate.value_or(unlimited), allowed.tolerate_share},
          .max_queue_bytes = plan.max_queue_bytes.value_or(unlimited),
          .max_staging_bytes = plan.sizes.max_staging_bytes.value_or(unlimited)};
}

Charge charge_index(const std::shared_ptr<books::Book>& book, const Plan& plan,
                    const MemoryOptions& memory) {
  if (auto charge = books::charge(book, Account::index, plan.index_bytes))
    return std::move(*charge);
  throw_error(Errc::budget_too_small, Stage::wait, '`', plan::budget_name(memory),
              "`: no room for ", plan.index_bytes, " bytes of index");
}

}  // namespace

LoaderState::LoaderState(AnySource images, const Options& measured, const Plan& resolved,
                         std::shared_ptr<MemoryLedger> shared, std::shared_ptr<books::Book> opened,
                         std::shared_ptr<buffer::SampleCache> samples)
    : source(std::move(images)),
      options(measured),
      plan(resolved),
      ledger(std::move(shared)),
      book(std::move(opened)),
      index(charge_index(book, plan, options.memory)),
      rules(plane_rules(options, source.planes())),
      batching(plan::batching_of(options, plan.ranks, plan.epoch.positions)),
      policy(policy_of(options, plan)),
      sampler(source.size(), options.order, options.seed),
      size(plan::size_rule(options)),
      size_index(options.sizes.mode == Sizes::fixed ? nullptr : options.sizes.index),
      pool(make_kept_in_child<buffer::SlabPool>(book, layout_of(plan), options.memory.upstream,
                                                names_of(plan.planes), options.sizes.vary())),
      stats(plan.max_queue_size),
      trace(plan.trace_bytes > 0 ? std::make_unique<Trace>(plan) : nullptr),
      cache(std::move(samples)),
      knobs({plan.start, plan.start}) {
  pool->watch(this);
}

LoaderState::~LoaderState() {
  pool->retire();
  buffer::SlabPool::drain(pool);
  pool->watch(nullptr);
  trace.reset();
  cache.reset();  // a shared cache keeps its samples
  index = Charge();
  book->retire();
}

void LoaderState::refuse_in_child() const {
  if (fork_guard.in_child())
    refuse(Stage::lease,
           "this process is a child that fork() made of the Loader's own: its threads are not "
           "here; a child may call exec or _exit");
}

const std::string& LoaderState::fingerprint() const {
  const Lock lock(fingerprint_mutex_);
  if (fingerprint_.empty()) fingerprint_ = source::fingerprint(source);
  return fingerprint_;
}

Progress LoaderState::progress(std::vector<Progress::Epochs> epochs) const {
  refuse_in_child();
  return {.fingerprint = fingerprint(),
          .samples = plan.epoch.positions,
          .seed = options.seed,
          .order = to_string(options.order),
          .epochs = std::move(epochs)};
}

Report LoaderState::figures() {
  refuse_in_child();
  const auto now = book->snapshot();
  auto recorded = faults.read();
  const auto instant = Clock::now();
  const auto* const pinned = dynamic_cast<const PinnedMemory*>(options.memory.upstream.get());
  Report report{
      .plan = plan,
      .options = to_string(options),
      .setting = knobs.get().now,
      .moves = moves.read(),
      .stalls = stalls.read(),
      .memory = now.memory,
      .process_now = {},
      .samples = now.samples,
      .slabs = pool->bytes(),
      .queue = stats.queue(instant),
      .throughput = stats.throughput(instant),
      .stages = stats.stages(),
      .regime = std::nullopt,
      .faults = std::move(recorded.first),
      .fault_count = recorded.count(),
      .fault_kinds = recorded.kinds,
      .postings = book->ledger()->postings(),
      .readings = stats.noted(),
      .sizes = delivered.get(),
      .planes = {},
      .cache = cache ? cache->figures() : CacheStats{},
      .source_samples = source.size(),
      .pinned = pinned ? pinned->use() : PinnedUse{},
      .trace_lost = trace ? trace->lost() : 0,
      .pinned_note = pinned ? pinned->note() : "",
  };
  report.queue.encoded = plan.decode == Decode::none;
  stats.add_to(report.cache);
  for (const auto& stage : report.stages) report.readings += stage.count;
  for (std::size_t p = 0; p < options.planes.size(); ++p)
    report.planes.push_back(planes.read(p, options.planes[p].name));
  return report;
}

Report LoaderState::report() {
  auto report = figures();
  report.process_now = process_memory();
  if (report.queue.seconds > 0) report.regime = to_string(judge(report.queue).regime);
  return report;
}

void LoaderState::cover_threads(std::uint32_t workers, std::uint32_t readers) {
  const auto more = [](std::uint32_t number, std::uint32_t covered) {
    return std::uint64_t{number - std::min(number, covered)};
  };
  const auto bytes = plan::thread_record_bytes(more(workers, plan.start.workers),
                                               more(readers, plan.start.read_ahead), plan.partners);
  if (index.try_grow(plan.index_bytes + bytes)) return;
  throw_error(Errc::budget_too_small, Stage::wait, "the budget has no room for the records of ",
              workers, " workers and ", readers, " reads ahead");
}

void LoaderState::count_images(const buffer::Slab& slab) noexcept {
  auto now = delivered.get();
  now.images += slab.samples;
  for (const auto image : slab.sizes())
    now.image_bytes += slab.layout().form.images[0].bytes_in(image);
  now.block_bytes += slab.pixels(0, slab.rows).size();
  delivered.set(now);
}

void LoaderState::released(const buffer::Slab& slab) noexcept {
  const auto now = Clock::now();
  if (slab.ending) {
    const auto begun = stats.copied(slab, now);
    if (trace) trace->batch(Trace::Of::copy, slab, begun, now);
  } else {
    end_lease(slab, now);
  }
}

void LoaderState::handed_over(buffer::Slab& slab) noexcept {
  const auto now = Clock::now();
  end_lease(slab, now);
  slab.since = now;
}

void LoaderState::end_lease(const buffer::Slab& slab, Clock::time_point now) noexcept {
  stats.released(slab, now);
  if (trace) trace->batch(Trace::Of::lease, slab, slab.since, now);
}

}  // namespace weir::engine
