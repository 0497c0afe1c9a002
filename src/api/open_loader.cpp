#include "api/open_loader.hpp"

#include <utility>

#include "api/identity.hpp"
#include "api/survey.hpp"
#include "base/checked.hpp"
#include "base/internals.hpp"
#include "base/text.hpp"
#include "buffer/block.hpp"
#include "engine/plan_planes.hpp"
#include "plan/cache_plan.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/order_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "plan/size_plan.hpp"
#include "source/weights.hpp"
#include "weir/memory.hpp"

namespace weir::api {

namespace {

std::shared_ptr<books::Book> open_book(MemoryLedger& ledger, const Options& options,
                                       const AnySource& source, const plan::LargestSample& sample,
                                       Plan& plan) {
  for (;;) {
    const auto promised = ledger.promised();
    plan = plan::resolve(options, {source.index_bytes(), promised, source.size(), sample});
    const auto rows = plan::most_rows(plan.batch, plan.epoch.positions, source.size());
    const books::ShareLimits limits{
        .promise = plan.promised_bytes,
        .reserve = plan.max_sample_bytes,
        .slab_bytes = plan.slab_bytes,
        .encoded_cap = plan.read_ahead_bytes.value_or(unlimited),
        .slabs = plan.slabs,
        .batch = rows,
        .record_bytes = plan::slab_record_bytes(rows, options.sizes.vary()),
        .records = plan::recorded_slabs(plan.max_leases, plan.slabs),
        .working_cap = plan::working_bytes(plan, sample)};
    try {
      return std::make_shared<books::Book>(Internals::books(ledger), limits);
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
    throw_error(Errc::budget_too_small, Stage::wait, '`', plan::budget_name(memory),
                "`: no room for the ", weights.bytes(),
                " bytes of `order.weights` and their table");
  weights.table();
}

/// Options that the data can fulfil. Throws Error{bad_options}.
Options checked(const AnySource& source, const Options& requested) {
  auto options = plan::with_annotation_bytes(plan::with_row_sizes(requested), source);
  plan::check_encoded(options);
  plan::check_planes(options);
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
    plan::check_order(options.order, source.size());
    make_table(*options.order.weights, ledger, options.memory);
  }
  if (all || (differ && !sizes.index)) {
    plan::check_cache(options);
    auto found = survey(source, options, all, {}, &ledger);
    if (differ && !sizes.index) sizes.index = std::move(found.sizes);
    sample = found.sample;
    if (all) max_sample_bytes = sample.both;
  }
  return options;
}

/// Null if nothing is to be kept or there is no room for it.
std::shared_ptr<buffer::SampleCache> make_cache(const Options& options, const Plan& plan,
                                                const AnySource& source,
                                                const std::shared_ptr<books::Book>& book) {
  if (plan.cache.bytes == 0) return nullptr;
  const bool rows = plan.cache.keep == Cache::decoded && options.sizes.mode == Sizes::fixed;
  const auto entry = rows ? buffer::SampleCache::entry_bytes(plan::row_form(plan), plan.shape) : 0;
  if (const auto& store = options.cache.shared)
    return Internals::shelves(*store).open(shelf_key(source, options, plan), plan.cache,
                                           source.size(), entry);
  const auto& upstream = options.memory.upstream;
  const bool pinned = dynamic_cast<const PinnedMemory*>(upstream.get()) != nullptr;
  return std::make_shared<buffer::SampleCache>(book, plan.cache, source.size(), entry,
                                               pinned ? nullptr : upstream);
}

}  // namespace

std::shared_ptr<LoaderState> open_loader(const AnySource& source, const Options& requested) {
  const auto& given = requested.memory.ledger;
  auto ledger = given ? given : std::make_shared<MemoryLedger>(requested.memory.budget_bytes);
  plan::LargestSample sample;
  const auto options = with_measured(source, checked(source, requested), *ledger, sample);
  Plan plan;
  auto book = open_book(*ledger, options, source, sample, plan);
  auto cache = make_cache(options, plan, source, book);
  auto loader = make_kept_in_child<LoaderState>(source, options, plan, std::move(ledger),
                                                std::move(book), std::move(cache));
  loader->labels = source::PartnerSampler::labels_for(options.partners, source);
  loader->partners(loader->sampler).check_labels();
  return loader;
}

}  // namespace weir::api
