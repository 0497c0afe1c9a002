#include "advice/search.hpp"

#include <algorithm>
#include <cmath>

#include "advice/plan_with.hpp"
#include "base/bisect.hpp"
#include "base/checked.hpp"
#include "base/text.hpp"

namespace weir::advice {
namespace {

/// "Within 1 %", for throughput and readiness.
constexpr double slack = 0.01;

/// If reads wait for less than this share of a decode, they need no readers.
constexpr double negligible = 0.02;

std::uint32_t scaled(std::uint32_t n, double by) {
  return static_cast<std::uint32_t>(std::ceil(n * by));
}

void keep_within(std::vector<std::uint32_t>& values, std::uint32_t low, std::uint32_t high) {
  for (auto& value : values) value = std::clamp(value, low, high);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

double target_of(const Workload& work, std::uint32_t workers, std::uint32_t read_ahead) {
  const auto production = std::max(work.production_per_s(workers, 0),
                                   work.production_per_s(workers, std::max(1u, read_ahead)));
  return std::min(work.consumption_per_s(), production);
}

Setting with(Setting setting, std::uint32_t Setting::*knob, std::uint32_t value) {
  setting.*knob = value;
  return setting;
}

bool better(const Prediction& a, const Prediction& b) {
  if (a.samples_per_s > b.samples_per_s * (1 + slack / 10)) return true;
  if (a.samples_per_s < b.samples_per_s * (1 - slack / 10)) return false;
  return a.data_readiness > b.data_readiness;
}

}  // namespace

std::vector<const Knob*> changed(const Setting& to, const Setting* from) {
  std::vector<const Knob*> found;
  for (const auto& knob : knobs)
    if (!from || from->*knob.value != to.*knob.value) found.push_back(&knob);
  return found;
}

Search::Search(const Interval& interval, const AdviceOptions& options)
    : interval_(interval),
      options_(options),
      budget_(limit_of(std::min(options.budget_bytes.value_or(unlimited),
                                interval.plan.budget_bytes.value_or(unlimited)))),
      most_workers_(std::max(1u, options.most_workers.value_or(interval.cores))),
      work_(workload_of(interval, interval.plan.batch, 0, options.stop)),
      most_read_ahead_(work_.read_wait_s < negligible * work_.decode_s ? 0
                                                                       : options.most_read_ahead),
      target_(target_of(work_, most_workers_, most_read_ahead_)) {}

std::uint32_t Search::most(std::uint32_t Setting::*knob) const noexcept {
  if (knob == &Setting::workers) return most_workers_;
  return knob == &Setting::read_ahead ? most_read_ahead_ : options_.most_queue;
}

bool Search::within_bounds(const Setting& setting) const noexcept {
  return setting.max_queue_size >= options_.least_queue && setting.workers > 0 &&
         std::ranges::all_of(
             knobs, [&](const Knob& knob) { return setting.*knob.value <= most(knob.value); });
}

std::optional<Plan> Search::plan_of(const Setting& wanted) const {
  try {
    auto plan = plan_with(interval_.plan, wanted, budget_);
    // If the Plan cuts the queue to the budget, the result belongs to another setting.
    if (setting_of(plan) != wanted) return {};
    return plan;
  } catch (const Error& error) {
    if (error.code() == Errc::budget_too_small) return {};
    throw;
  }
}

std::optional<Prediction> Search::simulated(const Setting& wanted) {
  if (const auto found = known_.find(wanted); found != known_.end()) return found->second;
  const auto plan = plan_of(wanted);
  if (!plan) return {};
  return known_.emplace(wanted, predict(*plan, work_, interval_.encoded_bytes)).first->second;
}

std::optional<Prediction> Search::at(const Setting& wanted) {
  return within_bounds(wanted) ? simulated(wanted) : std::nullopt;
}

bool Search::good(const std::optional<Prediction>& prediction) const {
  return prediction && prediction->samples_per_s >= least_rate_ &&
         prediction->data_readiness >= least_readiness_;
}

std::uint32_t Search::least_depth(const Setting& threads) const {
  const auto batch = interval_.plan.batch;
  return std::max(options_.least_queue, (threads.read_ahead + batch - 1) / batch);
}

std::optional<Setting> Search::deepest(const Setting& threads, std::uint64_t bytes) const {
  const auto fits = [&](std::uint32_t depth) {
    const auto wanted = with(threads, &Setting::max_queue_size, depth);
    const auto plan = within_bounds(wanted) ? plan_of(wanted) : std::nullopt;
    return plan && typical_bytes(*plan, interval_.encoded_bytes) < bytes;
  };
  const auto least = least_depth(threads);
  if (!fits(least)) return {};
  return with(threads, &Setting::max_queue_size, largest_that(least, options_.most_queue, fits));
}

std::vector<std::uint32_t> Search::worker_candidates(std::uint32_t read_ahead) const {
  // More workers than so many reads supply only take memory.
  const auto wanted = std::min(target_, work_.production_per_s(most_workers_, read_ahead));
  const auto enough = [&](std::uint32_t workers) {
    return work_.production_per_s(workers, read_ahead) >= wanted * (1 - slack);
  };
  const auto least = smallest_that(1u, most_workers_, enough);
  std::vector<std::uint32_t> values{
      least,     least + 1,    least + 2, scaled(least, 1.25), scaled(least, 1.5),
      2 * least, most_workers_};
  keep_within(values, 1, most_workers_);
  return values;
}

std::vector<Setting> Search::candidates() const {
  // Concurrent reads, by Little's law.
  const double read_s = work_.read_wait_s + work_.read_cpu_s;
  const double most = most_read_ahead_;
  const auto least =
      read_s > 0 ? std::max(1u, scaled(1, std::min(target_ * read_s, most))) : std::uint32_t{1};
  std::vector<std::uint32_t> ahead{
      0,         least,     scaled(least, 1.15), scaled(least, 1.3), scaled(least, 1.6),
      2 * least, 4 * least, most_read_ahead_};
  // If the budget has no room for this many, fewer reads are still better than none.
  for (auto fewer = least / 2; fewer > 0; fewer /= 2) ahead.push_back(fewer);
  keep_within(ahead, 0, most_read_ahead_);
  std::vector<Setting> all;
  for (const auto read_ahead : ahead)
    for (const auto workers : worker_candidates(read_ahead))
      all.push_back({1, workers, read_ahead, interval_.plan.batch});
  return all;
}

Prediction Search::ceiling() {
  std::optional<Prediction> best;
  const auto consider = [&](const Setting& threads) {
    const auto wanted = deepest(threads, unlimited);
    const auto found = wanted ? at(*wanted) : std::nullopt;
    if (found && (!best || better(*found, *best))) best = found;
  };
  for (const auto read_ahead : {0u, most_read_ahead_})
    consider({1, most_workers_, read_ahead, interval_.plan.batch});
  // The maximum of all knobs is best if it fits. A tight budget makes the knobs compete, so search.
  const bool tight = !best || best->setting.max_queue_size < options_.most_queue;
  if (tight || best->samples_per_s < target_ * (1 - slack)) {
    for (const auto& threads : candidates()) consider(threads);
  }
  if (best && tight) best = climbed(*best);
  if (!best)
    throw_error(Errc::budget_too_small, Stage::wait, "no setting fits a budget of ",
                budget_.value_or(unlimited), " bytes");
  return *best;
}

Prediction Search::climbed(Prediction from) {
  constexpr int most_moves = 12;
  for (int move = 0; move < most_moves; ++move) {
    const auto before = from;
    for (const auto& step : steps(before))
      if (better(step, from)) from = step;
    if (from.setting == before.setting) break;
  }
  return from;
}

void Search::improve(Prediction& best, const Setting& threads) {
  if (work_.production_per_s(threads.workers, threads.read_ahead) < least_rate_ * (1 - slack / 2))
    return;
  const auto most = deepest(threads, best.total_bytes);
  if (!most || !good(at(*most))) return;
  const auto of = [&](std::uint32_t depth) {
    return at(with(threads, &Setting::max_queue_size, depth));
  };
  best = *of(smallest_that(least_depth(threads), most->max_queue_size,
                           [&](auto depth) { return good(of(depth)); }));
}

void Search::thin_out(Prediction& best) {
  auto wanted = best.setting;
  for (const auto knob : {&Setting::read_ahead, &Setting::workers}) {
    if (wanted.*knob <= 1) continue;
    wanted.*knob = smallest_that(1u, wanted.*knob,
                                 [&](auto value) { return good(at(with(wanted, knob, value))); });
  }
  best = *at(wanted);
}

void Search::require(const Prediction& best) {
  least_rate_ = best.samples_per_s * (1 - slack);
  least_readiness_ = best.data_readiness >= options_.target_readiness ? options_.target_readiness
                                                                      : best.data_readiness - slack;
}

Prediction Search::smallest(const Prediction& best) {
  require(best);
  auto found = best;
  improve(found, best.setting);
  for (const auto& threads : candidates()) improve(found, threads);
  thin_out(found);
  return found;
}

std::optional<Prediction> Search::alone(const Setting& from, std::uint32_t Setting::*knob) {
  const auto of = [&](std::uint32_t value) { return simulated(with(from, knob, value)); };
  const std::uint32_t least = knob == &Setting::read_ahead       ? 0
                              : knob == &Setting::max_queue_size ? options_.least_queue
                                                                 : 1;
  const auto fits = [&](std::uint32_t value) {
    return plan_of(with(from, knob, value)).has_value();
  };
  if (!fits(least)) return {};
  const auto largest = largest_that(least, most(knob), fits);
  // More workers than cores, or more reads than bytes, may be worse than fewer.
  std::optional<Prediction> best;
  for (auto value = largest; value > least; value /= 2)
    if (const auto found = of(value); found && (!best || better(*found, *best))) best = found;
  if (!best) return of(least);
  require(*best);
  return of(smallest_that(least, best->setting.*knob, [&](auto value) { return good(of(value)); }));
}

std::vector<Prediction> Search::steps(const Prediction& from) {
  std::vector<Prediction> steps;
  const auto add = [&](std::uint32_t Setting::*knob, std::uint32_t value) {
    if (const auto to = at(with(from.setting, knob, value))) steps.push_back(*to);
  };
  const auto& s = from.setting;
  add(&Setting::max_queue_size, s.max_queue_size + 1);
  add(&Setting::max_queue_size, s.max_queue_size - 1);
  add(&Setting::workers, s.workers + 1);
  add(&Setting::workers, s.workers - 1);
  add(&Setting::read_ahead, s.read_ahead > 0 ? 2 * s.read_ahead : 1);
  if (s.read_ahead > 0) add(&Setting::read_ahead, s.read_ahead / 2);
  return steps;
}

}  // namespace weir::advice
