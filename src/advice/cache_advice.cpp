#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "advice/plan_with.hpp"
#include "advice/search.hpp"
#include "base/checked.hpp"
#include "buffer/sample_cache.hpp"
#include "plan/cache_plan.hpp"
#include "plan/pixel_plan.hpp"
#include "source/order.hpp"
#include "source/weights.hpp"

namespace weir::advice {
namespace {

std::uint64_t above_0(std::span<const double> weights) {
  return weights.size() - static_cast<std::uint64_t>(std::ranges::count(weights, 0.0));
}

/// Weights of about the same size.
struct Alike {
  double count = 0, sum = 0;
  /// The part of them that has been drawn once after `draws` draws in units of 1 / weight.
  double drawn(double draws) const { return 1 - std::exp(-draws * sum / count); }
};

/// The share of the weight that the first `kept` different samples have. The heavy ones come first.
double weight_of_first(std::span<const double> weights, double kept) {
  std::map<int, Alike> groups;
  double sum = 0;
  const auto most = *std::ranges::max_element(weights);
  for (const auto given : weights) {
    const auto weight = given / most;  // so that sums are finite
    if (weight == 0) continue;
    constexpr int groups_per_octave = 8;
    auto& group = groups[static_cast<int>(std::floor(std::log2(weight) * groups_per_octave))];
    ++group.count;
    group.sum += weight;
    sum += weight;
  }
  const auto after = [&](double draws, double Alike::*what) {
    double total = 0;
    for (const auto& [key, group] : groups) total += group.*what * group.drawn(draws);
    return total;
  };
  // Bisection over the logarithm: weights may differ by hundreds of orders of magnitude.
  double low = std::log(1e-9 / sum), high = low;
  while (after(std::exp(high), &Alike::count) < kept && high < 700) high += 1;
  for (int i = 0; i < 60; ++i) {
    const auto middle = (low + high) / 2;
    (after(std::exp(middle), &Alike::count) < kept ? low : high) = middle;
  }
  return std::min(1.0, after(std::exp(high), &Alike::sum) / sum);
}

/// The samples that this rank draws, over all epochs. An order that does not change from epoch to
/// epoch gives a rank the same samples each time. Partners are drawn anew from all.
std::uint64_t drawn_samples(const Interval& interval) {
  const auto& plan = interval.plan;
  const auto samples = interval.source_samples.value_or(0);
  const auto& order = plan.order;
  if (plan.partners > 0) return samples;
  if (order.weights) return above_0(order.weights->values());
  if (!source::is_fixed(order.kind)) return samples;
  if (plan.epoch.samples > 0) return plan.epoch.samples;
  return (source::positions_of(order, samples) + plan.ranks.world - 1) / plan.ranks.world;
}

/// Those of them that a cache can keep. A sample that does not decode has no row.
std::uint64_t kept_samples(const Interval& interval, Cache keep) {
  const auto drawn = drawn_samples(interval);
  if (keep != Cache::decoded) return drawn;
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(drawn) * decoded_share(interval)));
}

/// The share of draws that a cache with the first `kept` of `all` drawn samples serves.
double hits_with(const Order& order, double kept, double all) {
  if (kept >= all) return 1;
  if (order.weights) return weight_of_first(order.weights->values(), kept);
  return kept / all;
}

std::uint64_t table_bytes(const Interval& interval) {
  return mul_sat(interval.source_samples.value_or(0), sizeof(void*));
}

/// Bytes of a cache that keeps all that it can of the samples that this rank draws.
std::uint64_t whole_bytes(const Interval& interval, Cache keep) {
  const auto& plan = interval.plan;
  const auto kept = kept_samples(interval, keep);
  const auto form = plan::row_form(plan);
  const bool decoded = keep == Cache::decoded;
  const bool alike = decoded && plan.sizes.mode == Sizes::fixed;
  auto entry = buffer::SampleCache::entry_bytes(form, plan.shape);
  if (!alike) {
    // A mean entry. The planes count with the image.
    std::vector<std::uint64_t> parts(1 + form.images.size());
    parts[0] = decoded ? plan.row_bytes - plan.annotation_bytes
                       : static_cast<std::uint64_t>(
                             std::llround(interval.encoded_bytes / (1.0 + plan.partners)));
    parts[1] = plan.annotation_bytes;
    entry = buffer::SampleCache::entry_bytes(parts, decoded);
  }
  return buffer::SampleCache::whole_bytes(interval.source_samples.value_or(0), kept, entry, alike);
}

}  // namespace

double cached_share(const Interval& interval, Cache keep, std::uint64_t bytes) {
  const auto all = drawn_samples(interval);
  if (all == 0) return 0;
  const auto entries = [&](std::uint64_t of) {
    return static_cast<double>(sub_floor(of, table_bytes(interval)));
  };
  const auto whole = whole_bytes(interval, keep);
  const auto kept = static_cast<double>(kept_samples(interval, keep)) *
                    std::min(1.0, entries(bytes) / entries(whole));
  return hits_with(interval.plan.order, kept, static_cast<double>(all));
}

std::vector<CacheAdvice> cache_advice(const Interval& interval, Search& search,
                                      std::optional<std::uint64_t> bytes,
                                      const DecodeTimes& decodes) {
  std::vector<CacheAdvice> all;
  if (interval.source_samples.value_or(0) == 0) return all;
  const auto requested = bytes ? bytes : interval.plan.cache.requested;
  auto [options, given] = origin_with(interval.plan, setting_of(interval.plan), search.budget());
  given.samples = *interval.source_samples;
  for (const auto keep : {Cache::encoded, Cache::decoded}) {
    if (keep == Cache::decoded && !plan::may_keep_decoded(options)) continue;
    // Without any bound, the cache may hold everything.
    options.cache = {keep, requested || search.budget() ? requested : unlimited};
    const auto plan = plan::resolve(options, given);
    const auto at = [&](double share, std::uint64_t cache_bytes, double decode = 1) {
      auto work = with_cache(search.work(), plan, keep, share);
      work.decode_s *= decode;
      auto prediction = predict(plan, work, interval.encoded_bytes);
      prediction.total_bytes = add_sat(prediction.total_bytes, cache_bytes);
      return prediction;
    };
    CacheAdvice advice;
    advice.keep = keep;
    advice.whole_bytes = whole_bytes(interval, keep);
    const auto most = cached_share(interval, keep, advice.whole_bytes);
    advice.whole = at(most, advice.whole_bytes);
    advice.bytes = std::min(advice.whole_bytes, plan.cache.bytes);
    advice.share = cached_share(interval, keep, advice.bytes);
    advice.to = advice.share < most ? at(advice.share, advice.bytes) : advice.whole;
    if (decodes.tile_s && decodes.tiles && keep == Cache::encoded && interval.plan.cache.tiles == 0)
      advice.tiled = at(advice.share, advice.bytes, 1 - advice.share * (1 - *decodes.tiles));
    all.push_back(std::move(advice));
  }
  return all;
}

std::optional<std::uint64_t> tiles_pay_from(const CacheAdvice& cache, double tile_s,
                                            double at_once) {
  if (!cache.tiled || cache.tiled->samples_per_s <= cache.to.samples_per_s) return std::nullopt;
  // Each kept file is written again once, in the first epoch, and gains from the second on.
  const double cost = cache.share * tile_s / at_once;
  const double gain = 1 / cache.to.samples_per_s - 1 / cache.tiled->samples_per_s;
  constexpr double never = 1e9;
  const double epochs = std::floor(cost / gain);
  if (epochs > never) return std::nullopt;
  return 2 + static_cast<std::uint64_t>(epochs);
}

}  // namespace weir::advice
