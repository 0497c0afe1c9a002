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

std::uint64_t table_bytes(const Window& window) {
  return mul_sat(window.source_samples, sizeof(void*));
}

std::uint64_t entry_bytes(const Window& window, Cache keep) {
  return mul_sat(window.source_samples, kept_bytes(window, keep));
}

}  // namespace

double cached_share(const Window& window, Cache keep, std::uint64_t bytes) {
  const auto entries = entry_bytes(window, keep);
  if (entries == 0) return 0;
  return std::min(1.0, static_cast<double>(sub_floor(bytes, table_bytes(window))) /
                           static_cast<double>(entries));
}

std::vector<CacheAdvice> cache_advice(const Window& window, Search& search, std::uint64_t bytes) {
  std::vector<CacheAdvice> all;
  if (window.source_samples == 0) return all;
  const auto table = table_bytes(window);
  const auto requested = bytes != 0 ? bytes : window.plan.cache.requested;
  for (const auto keep : {Cache::encoded, Cache::decoded}) {
    if (keep == Cache::decoded && !window.plan.cache.may_keep_decoded) continue;
    auto with = window;
    auto& cache = with.plan.cache;
    cache.keep = keep;
    cache.table_bytes = table;
    cache.requested = requested;
    cache.bytes = requested != 0 ? requested : unlimited;  // without a budget the size has no bound
    const auto plan = plan_with(with, setting_of(window.plan), search.budget());
    const auto at = [&](double share) {
      return predict(plan, simulation::with_cache(search.work(), plan, keep, share),
                     window.encoded_bytes);
    };
    CacheAdvice advice;
    advice.keep = keep;
    advice.whole_bytes = add_sat(table, entry_bytes(window, keep));
    advice.whole = at(1);
    advice.bytes = std::min(advice.whole_bytes, plan.cache.bytes);
    advice.share = cached_share(window, keep, advice.bytes);
    advice.to = advice.share < 1 ? at(advice.share) : advice.whole;
    all.push_back(std::move(advice));
  }
  return all;
}

}  // namespace weir
