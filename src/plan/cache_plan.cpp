#include "plan/cache_plan.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "options/refuse.hpp"
#include "plan/resolve.hpp"
#include "weir/ledger.hpp"

namespace weir::plan {
namespace {

/// Names the option that makes a row depend on more than its sample. Null if there is none.
const char* varies(const Options& options) {
  const bool fits = options.sizes.mode == Sizes::fixed;
  if (options.sizes.size.of) return "`sizes.size.of` may give another size each epoch";
  if (options.window.choose && !options.window.same_each_epoch)
    return "`window.choose` may choose another window each epoch, without `window.same_each_epoch`";
  if (options.fit == Fit::random && fits) return "`fit` = random draws another crop each epoch";
  if (options.fit == Fit::patch && fits) return "`fit` = patch draws another crop each epoch";
  const auto draws = [](double probability) { return probability > 0 && probability < 1; };
  if (draws(options.flip.horizontal.value_or(0)) || draws(options.flip.vertical))
    return "flip mirrors other samples each epoch";
  if (options.partners.count > 0) return "`partners.count` makes a row of several samples";
  if (options.transform.apply) return "`transform.apply` may make another row each epoch";
  return nullptr;
}

/// The reason of a cache of `plan.bytes`, which are too few.
std::string why_no_room(const CachePlan& plan, std::uint64_t max_sample_bytes) {
  const auto table = concat("its table of ", plan.table_bytes, " bytes");
  if (plan.bytes == plan.requested)
    return concat("nothing is kept: ", table, " does not fit into ",
                  plan.shared ? "the store, which holds " : "`cache.max_bytes` = ", plan.bytes);
  return concat(
      "nothing is kept: index, slabs, the ", bytes_text(max_sample_bytes),
      " of `memory.max_sample_bytes` and the needs of workers leave ", plan.bytes,
      " bytes of the budget for ", table,
      " and samples; give a larger budget, fewer slabs, or `memory.max_sample_bytes` = measured");
}

/// The reason of a cache that has no room for a row of so many bytes.
std::string less_than_a_sample(const CachePlan& plan, std::uint64_t max_sample_bytes,
                               std::uint64_t row_bytes) {
  return concat("hardly anything is kept: a row of ", row_bytes, " bytes does not fit into ",
                plan.bytes, " bytes, ", plan.table_bytes, " of them the table; ",
                bytes_text(max_sample_bytes), " are reserved by `memory.max_sample_bytes`");
}

}  // namespace

void check_cache(const Options& options) {
  const auto& cache = options.cache;
  if (cache.keep == Cache::nothing) {
    if (cache.max_bytes)
      refuse_value("cache.max_bytes", *cache.max_bytes,
                   "with `cache.keep` = nothing, leave it out");
    if (cache.shared) refuse("`cache.shared`: with `cache.keep` = nothing it must be null");
    if (cache.tiles != 0) refuse_value("cache.tiles", cache.tiles, "needs `cache.keep` = encoded");
    return;
  }
  if (cache.tiles != 0 && cache.keep == Cache::decoded)
    refuse_value("cache.tiles", cache.tiles,
                 "is for `cache.keep` = encoded; decoded rows are not decoded again");
  if (cache.tiles != 0 && options.decode == Decode::none)
    refuse_value("cache.tiles", cache.tiles,
                 "with `decode` = none, leave it out; rows have the bytes that were read");
  if (cache.shared && cache.max_bytes)
    refuse_value("cache.max_bytes", *cache.max_bytes,
                 "with `cache.shared`, leave it out; the store has a bound of ",
                 cache.shared->max_bytes(), " bytes");
  if (!cache.max_bytes && !budget_of(options.memory) && !cache.shared)
    refuse_value("cache.keep", to_string(cache.keep),
                 "the cache has no bound; set `cache.max_bytes` or `memory.budget_bytes`");
  const auto* const why = varies(options);
  if (cache.keep == Cache::decoded && why)
    refuse_value("cache.keep", to_string(cache.keep), why,
                 "; `cache.keep` = encoded keeps what was read");
}

bool may_keep_decoded(const Options& options) { return !varies(options); }

CachePlan plan_cache(const Options& options, std::uint64_t samples, std::uint64_t room,
                     std::uint64_t max_sample_bytes, std::uint64_t row_bytes) {
  CachePlan plan;
  const auto& cache = options.cache;
  if (cache.keep == Cache::nothing) return plan;
  plan.keep = cache.keep;
  plan.shared = cache.shared != nullptr;
  plan.tiles = cache.tiles;
  plan.requested = plan.shared ? cache.shared->max_bytes() : cache.max_bytes;
  plan.table_bytes = mul_sat(samples, sizeof(void*));
  plan.bytes = plan.requested.value_or(unlimited);
  if (!plan.shared) plan.bytes = std::min(plan.bytes, room);
  if (plan.bytes > plan.table_bytes) {
    if (plan.keep == Cache::decoded && plan.bytes - plan.table_bytes < row_bytes)
      plan.note = less_than_a_sample(plan, max_sample_bytes, row_bytes);
    return plan;
  }
  plan.note = why_no_room(plan, max_sample_bytes);
  plan.bytes = 0;
  return plan;
}

}  // namespace weir::plan
