#include "api/loader_state.hpp"

#include <utility>

#include "api/identity.hpp"
#include "api/survey.hpp"
#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/internals.hpp"
#include "base/text.hpp"
#include "conductor/progress.hpp"
#include "plan/cache_plan.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/order_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "plan/resolve.hpp"
#include "plan/size_plan.hpp"
#include "source/fingerprint.hpp"
#include "source/weights.hpp"
#include "weir/advice.hpp"
#include "weir/interval.hpp"
#include "weir/memory.hpp"

namespace weir::api {

namespace {

std::shared_ptr<books::Book> open_page(MemoryLedger& ledger, const Options& options,
                                       const AnySource& source, const plan::LargestSample& sample,
                                       Plan& plan) {
  for (;;) {
    const auto promised = ledger.promised();
    plan = plan::resolve(options, {source.index_bytes(), promised, source.size(), sample});
    const auto rows = most_rows(plan.batch, plan.epoch.positions, source.size());
    try {
      return books::Book::open(
          Internals::books(ledger),
          {.promise = plan.promised_bytes,
           .reserve = plan.max_sample_bytes,
           .slab_bytes = plan.slab_bytes,
           .encoded_cap = plan.read_ahead_bytes.value_or(unlimited),
           .slabs = plan.slabs,
           .batch = rows,
           .record_bytes = slab_record_bytes(rows, options.sizes.mode != Sizes::fixed),
           .records = recorded_slabs(plan.max_leases, plan.slabs),
           .working_cap = plan::working_bytes(plan, sample)});
    } catch (const Error&) {
      // Another loader took part of the budget meanwhile. Plan again with its promise.
      if (ledger.promised() == promised) throw;
    }
  }
}

/// The plan draws the first epoch if sizes differ, which needs the table of the weights.
void make_table(const source::Weights& weights, MemoryLedger& ledger, const MemoryOptions& memory) {
  const auto charge = ledger.try_charge(Account::index, weights.bytes());
  if (!charge)
    throw_error(Errc::budget_too_small, Stage::wait, plan::budget_name(memory),
                ": no room for the ", weights.bytes(), " bytes of order.weights and their table");
  weights.table();
}

/// Options that the data can fulfil. Throws Error{bad_options}.
Options checked(const AnySource& source, const Options& requested) {
  auto options = plan::with_annotation_bytes(plan::with_row_sizes(requested), source);
  check_encoded(options);
  check_planes(options);
  (void)engine::plane_rules(options, source.planes());
  return options;
}

/// The options with what the data need: the sizes of the images and, if that is `measured`,
/// max_sample_bytes. `sample`: what was learned of the samples with them.
Options with_measured(const AnySource& source, Options options, MemoryLedger& ledger,
                      plan::LargestSample& sample) {
  auto& sizes = options.sizes;
  auto& max_sample_bytes = options.memory.max_sample_bytes;
  const bool differ = sizes.mode != Sizes::fixed, all = max_sample_bytes == ByteBound::measured;
  if (differ && options.order.weights) {
    check_order(options.order, source.size());
    make_table(*options.order.weights, ledger, options.memory);
  }
  if (all || (differ && !sizes.index)) {
    check_cache(options);
    auto found = survey(source, options, all, {}, &ledger);
    if (differ && !sizes.index) sizes.index = std::move(found.sizes);
    sample = found.sample;
    if (all) max_sample_bytes = sample.both;
  }
  if (differ && sizes.index->size() != source.size())
    refuse(Stage::wait, "sizes.index: of ", sizes.index->size(), " samples, the source has ",
           source.size());
  return options;
}

/// The layout of each slab. If sizes differ, a layout that no slab has.
buffer::SlabLayout layout_of(const Options& options, const Plan& plan) {
  const auto alignment = options.memory.alignment;
  const auto form = plan::row_form(plan);
  switch (options.sizes.mode) {
    case Sizes::padded: return buffer::SlabLayout::padded(form, {}, 0, alignment);
    case Sizes::ragged: return buffer::SlabLayout::ragged(form, {}, 0, alignment);
    case Sizes::fixed: break;
  }
  return buffer::SlabLayout::fixed(form, plan.shape, plan.batch, alignment);
}

/// Null if nothing is to be kept or there is no room for it.
std::shared_ptr<buffer::SampleCache> make_cache(const Options& options, const Plan& plan,
                                                const AnySource& source,
                                                const std::shared_ptr<books::Book>& book) {
  if (plan.cache.bytes == 0) return nullptr;
  const bool rows = plan.cache.keep == Cache::decoded && options.sizes.mode == Sizes::fixed;
  const auto one = [](std::uint64_t bytes) { return round_up(bytes, buffer::Block::alignment); };
  std::uint64_t typical = 0;
  if (rows) {
    const auto form = plan::row_form(plan);
    typical = one(form.image_bytes(plan.shape)) + one(form.annotation_bytes);
    for (const auto& plane : form.planes) typical += one(plane.bytes_beside(plan.shape));
  }
  if (const auto& store = options.cache.shared)
    return Internals::shelves(*store).open(shelf_key(source, options, plan), plan.cache,
                                           source.size(), typical);
  const auto& upstream = options.memory.upstream;
  const bool pinned = dynamic_cast<const PinnedMemory*>(upstream.get()) != nullptr;
  return std::make_shared<buffer::SampleCache>(book, plan.cache, source.size(), typical,
                                               pinned ? nullptr : upstream);
}

conductor::Batching batching_of(const engine::Core& core, const Options& options) {
  const auto& ranks = core.plan.ranks;
  return {.samples = core.plan.epoch.positions,
          .batch = options.batch,
          .drop_last = options.drop_last,
          .rank = {ranks.rank, ranks.world},
          .buckets = options.sizes.bucket_batches > 0};
}

}  // namespace

LoaderState::LoaderState(AnySource source, const Options& requested)
    : ledger(requested.memory.ledger
                 ? requested.memory.ledger
                 : std::make_shared<MemoryLedger>(requested.memory.budget_bytes)),
      options(with_measured(source, checked(source, requested), *ledger, sample)) {
  Plan plan;
  auto book = open_page(*ledger, options, source, sample, plan);
  auto charge = books::charge(book, Account::index, plan.index_bytes);
  if (!charge) {
    throw_error(Errc::budget_too_small, Stage::wait, plan::budget_name(options.memory),
                ": no room for ", plan.index_bytes, " bytes of index");
  }
  index = std::move(*charge);
  if (options.order.weights) options.order.weights->table();  // its bytes are in the index
  std::vector<std::string> names;
  for (const auto& plane : options.planes) names.push_back(plane.name);
  auto pool = std::make_shared<buffer::SlabPool>(book, layout_of(options, plan),
                                                 options.memory.upstream, std::move(names));
  auto cache = make_cache(options, plan, source, book);
  core = std::make_shared<engine::Core>(std::move(source), plan, std::move(book), std::move(pool),
                                        std::move(cache));
}

LoaderState::~LoaderState() {
  core->pool->retire();
  buffer::SlabPool::drain(core->pool);
  core->retire();
  index = Charge();
  core->book->retire();
}

void LoaderState::refuse_in_child() const {
  if (fork_guard.in_child())
    throw Error(Errc::bad_options, Stage::lease,
                "this process is a child that fork() made of the Loader's own: its threads are not "
                "here; a child may call exec or _exit");
}

const std::string& LoaderState::fingerprint() const {
  const Lock lock(fingerprint_mutex_);
  if (fingerprint_.empty()) fingerprint_ = source::fingerprint(core->source);
  return fingerprint_;
}

Progress LoaderState::progress(std::vector<Progress::Epochs> epochs) const {
  refuse_in_child();
  return {.fingerprint = fingerprint(),
          .samples = core->plan.epoch.positions,
          .seed = options.seed,
          .order = to_string(options.order),
          .epochs = std::move(epochs)};
}

conductor::Schedule LoaderState::schedule(const StreamOptions& requested) const {
  const auto batching = batching_of(*core, options);
  if (!requested.resume) return {batching, requested.epochs, requested.first_epoch};
  const std::string what = "StreamOptions::resume";
  if (requested.first_epoch != 0)
    refuse(Stage::wait, "StreamOptions::first_epoch = ", requested.first_epoch,
           ": must be 0 with resume, which says where to begin");
  conductor::check(*requested.resume, what);
  conductor::check_same(*requested.resume, progress({}), what, "in this loader");
  conductor::check_epochs(*requested.resume, requested.epochs, what);
  return {batching, requested.epochs, *requested.resume};
}

source::Sampler LoaderState::sampler() const {
  return {core->source.size(), options.order, options.seed};
}

engine::StreamPlan LoaderState::plan_stream(std::shared_ptr<const conductor::Supply> supply) const {
  return {
      .decoder = plan::decoder_options(options),
      .planes = engine::plane_rules(options, core->source.planes()),
      .sampler = sampler(),
      .supply = std::move(supply),
      .tolerance = {options.faults.tolerate.value_or(unlimited), options.faults.tolerate_share,
                    core->plan.epoch.samples},
      .on_fault = options.faults.policy,
      .stall_after = saturated(options.watchdog.after.value_or(std::chrono::milliseconds(0))),
      .on_stall = options.watchdog.on_stall,
      .transform = options.transform.apply,
      .window = options.window,
      .size_index = options.sizes.mode == Sizes::fixed ? nullptr : options.sizes.index,
  };
}

Report LoaderState::figures() const {
  refuse_in_child();
  const auto now = core->book->snapshot();
  auto faults = core->faults.read();
  const auto instant = Clock::now();
  const auto* const pinned = dynamic_cast<const PinnedMemory*>(options.memory.upstream.get());
  Report report{
      .plan = core->plan,
      .setting = core->knobs.get().now,
      .moves = core->moves.read(),
      .stalls = core->stalls.read(),
      .memory = now.memory,
      .process_before = before,
      .process_now = {},
      .samples = now.samples,
      .slabs = core->pool->bytes(),
      .queue = core->stats.queue(instant),
      .throughput = core->stats.throughput(instant),
      .stages = core->stats.stages(),
      .regime = std::nullopt,
      .regime_why = {},
      .faults = std::move(faults.first),
      .fault_count = faults.count(),
      .fault_kinds = faults.kinds,
      .postings = core->book->ledger()->postings(),
      .readings = core->stats.noted(),
      .sizes = core->delivered.get(),
      .planes = {},
      .cache = core->cache_stats(),
      .source_samples = core->source.size(),
      .pinned = pinned ? pinned->use() : PinnedUse{},
      .pinned_note = pinned ? pinned->note() : "",
  };
  for (const auto& stage : report.stages) report.readings += stage.count;
  for (std::size_t p = 0; p < options.planes.size(); ++p)
    report.planes.push_back(core->planes.read(p, options.planes[p].name));
  return report;
}

Report LoaderState::report() const {
  auto report = figures();
  report.process_now = process_memory();
  if (report.queue.seconds > 0) {
    auto verdict = judge(interval(report));
    report.regime = to_string(verdict.regime);
    report.regime_why = std::move(verdict.why);
  }
  return report;
}

}  // namespace weir::api
