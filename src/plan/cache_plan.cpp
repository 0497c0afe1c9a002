#include "plan/cache_plan.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "plan/text.hpp"
#include "weir/ledger.hpp"

namespace weir {
namespace {

/// Names the option that makes a row depend on more than its sample. Null if there is none.
const char* varies(const Options& options) {
  if (options.fit == Fit::random && options.sizes.mode == Sizes::fixed)
    return "fit = random draws another crop each epoch";
  if (options.transform.apply) return "transform.apply may make another row each epoch";
  return nullptr;
}

}  // namespace

void check_cache(const Options& options) {
  const auto& cache = options.cache;
  const auto& memory = options.memory;
  if (cache.keep == Cache::nothing) {
    if (cache.max_bytes != 0)
      refuse("cache.max_bytes = " + std::to_string(cache.max_bytes) +
             ": with cache.keep = nothing it must be 0");
    return;
  }
  const auto keep = "cache.keep = " + std::string(to_string(cache.keep));
  const auto budget = memory.ledger ? memory.ledger->budget() : memory.budget_bytes;
  if (cache.max_bytes == 0 && budget == unlimited)
    refuse(keep + ": the cache has no bound; set cache.max_bytes or memory.budget_bytes");
  const auto* const why = varies(options);
  if (cache.keep == Cache::decoded && why)
    refuse(keep + ": " + why + "; cache.keep = encoded keeps what was read");
}

CachePlan plan_cache(const Options& options, std::uint64_t samples, std::uint64_t room) noexcept {
  CachePlan plan;
  plan.may_keep_decoded = !varies(options);
  const auto& cache = options.cache;
  if (cache.keep == Cache::nothing) return plan;
  plan.keep = cache.keep;
  plan.requested = cache.max_bytes;
  plan.table_bytes = mul_sat(samples, sizeof(void*));
  plan.bytes = std::min(room, cache.max_bytes == 0 ? unlimited : cache.max_bytes);
  if (plan.bytes <= plan.table_bytes) plan.bytes = 0;
  return plan;
}

}  // namespace weir
