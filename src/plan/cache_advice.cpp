#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "plan/loader_bytes.hpp"
#include "plan/search.hpp"

namespace weir {
namespace {

/// Mean cached bytes of one sample, including the head of its entry; see buffer::SampleCache.
std::uint64_t kept_bytes(const Window& window, Cache keep) {
  constexpr std::uint64_t head = 128, alignment = 64;
  const auto& plan = window.plan;
  const auto pixels = keep == Cache::decoded
                          ? plan.shape.values()
                          : static_cast<std::uint64_t>(std::llround(window.encoded_bytes));
  return head + round_up(pixels, alignment) + round_up(plan.side_bytes, alignment);
}

}  // namespace

std::vector<CacheAdvice> cache_advice(const Window& window, Search& search, const Setting& setting,
                                      std::uint64_t bytes) {
  std::vector<CacheAdvice> all;
  if (window.source_samples == 0) return all;
  const auto table = mul_sat(window.source_samples, sizeof(void*));
  const auto requested = bytes != 0 ? bytes : window.plan.cache.requested;
  for (const auto keep : {Cache::encoded, Cache::decoded}) {
    if (keep == Cache::decoded && !window.plan.cache.may_keep_decoded) continue;
    auto with = window;
    auto& cache = with.plan.cache;
    cache.keep = keep;
    cache.table_bytes = table;
    cache.requested = requested;
    cache.bytes = requested != 0 ? requested : unlimited;  // without a budget the size has no bound
    const auto plan = plan_with(with, setting, search.budget());
    const auto at = [&](double share) {
      return predict(plan, simulation::with_cache(search.work(), plan, keep, share),
                     window.encoded_bytes);
    };
    CacheAdvice advice;
    advice.keep = keep;
    const auto entries = mul_sat(window.source_samples, kept_bytes(window, keep));
    advice.whole_bytes = add_sat(table, entries);
    advice.whole = at(1);
    advice.bytes = std::min(advice.whole_bytes, plan.cache.bytes);
    advice.share =
        static_cast<double>(sub_floor(advice.bytes, table)) / static_cast<double>(entries);
    advice.to = advice.share < 1 ? at(advice.share) : advice.whole;
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace weir
