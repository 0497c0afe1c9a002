#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "advice/plan_with.hpp"
#include "advice/search.hpp"
#include "base/byte_text.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"
#include "options/refuse.hpp"
#include "weir/advice.hpp"

namespace weir {
namespace {

using namespace advice;

/// Writes the recommended setting as options of the program and as C++.
void put_settings(Advice& advice, std::optional<std::uint64_t> budget, const Plan& plan) {
  const auto& cache = plan.cache;
  const auto& setting = advice.recommended.setting;
  advice.flags = flags_of(setting);
  advice.code = code_of(setting);
  if (budget) {
    advice.flags += " --memory-budget " + byte_text(*budget);
    advice.code += code_of_budget(plan, *budget);
  }
  if (cache.keep == Cache::nothing) return;
  const CacheOptions kept{.keep = cache.keep, .max_bytes = cache.requested, .tiles = cache.tiles};
  advice.flags += " " + flag_of(kept);
  advice.code += code_of(kept);
}

void check(const AdviceOptions& o) {
  if (!(o.target_readiness > 0 && o.target_readiness <= 1))
    refuse_value("target_readiness", o.target_readiness, "must be above 0 and at most 1");
  if (o.least_queue == 0 || o.least_queue > o.most_queue)
    refuse_value("least_queue", o.least_queue, "must be 1 to most_queue, which is ", o.most_queue);
  if (o.most_workers == 0u) refuse_value("most_workers", 0, "must be 1 or more");
  if (o.cache_bytes == 0) refuse_value("cache_bytes", 0, "nothing fits; leave it out");
}

}  // namespace

Advice advise(const Interval& interval, const AdviceOptions& options) {
  check(options);
  Search search(interval, options);
  Advice advice;
  advice.now =
      predict(plan_with(interval.plan, setting_of(interval.plan), interval.plan.budget_bytes),
              search.work(), interval.encoded_bytes);
  advice.basis = options.predict_verdict ? Basis::predicted : Basis::measured;
  advice.verdict = options.predict_verdict ? advice.now.verdict : judge(interval);
  advice.sentence = describe(advice.verdict);
  advice.ceiling = search.ceiling();
  advice.recommended = search.smallest(advice.ceiling);
  advice.cache = cache_advice(interval, search, options.cache_bytes, options.decodes);
  advice.levers = levers(interval, options, search, advice);
  put_settings(advice, search.budget(), interval.plan);
  return advice;
}

std::vector<Prediction> predict_depths(const Interval& interval, const Setting& around) {
  // Up to the largest queue of an advice, or the current queue if it is larger.
  const auto own = around.max_queue_size, most = std::max(own, AdviceOptions{}.most_queue);
  std::set<std::uint32_t> depths{own, std::max(1u, own - 1), std::min(most, own + 1)};
  for (std::uint64_t depth = 1; depth <= std::min(most, std::max(8u, 2 * own)); depth *= 2)
    depths.insert(static_cast<std::uint32_t>(depth));
  std::vector<Prediction> predictions;
  for (const auto depth : depths) {
    auto setting = around;
    setting.max_queue_size = depth;
    auto prediction = predict(interval, setting);
    // Otherwise the budget has no room for this depth.
    if (prediction.setting.max_queue_size == depth) predictions.push_back(std::move(prediction));
  }
  return predictions;
}

std::optional<Interval> evidence(const Report& report) {
  constexpr double least_s = 1;
  constexpr std::uint64_t least_batches = 8;
  auto seen = interval(report);
  const auto& plan = report.plan;
  const bool one_workload = plan.sizes.mode == Sizes::fixed && plan.sizes.size.empty() &&
                            plan.cache.keep == Cache::nothing && report.moves.empty() &&
                            report.setting == setting_of(plan);
  if (!one_workload || seen.seconds < least_s || seen.batches < least_batches ||
      seen.decode.count == 0)
    return std::nullopt;
  return seen;
}

}  // namespace weir
