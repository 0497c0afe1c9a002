#include "advice/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "advice/search.hpp"
#include "base/text.hpp"

namespace weir::advice {
namespace {

constexpr std::uint64_t least_batches = 8, least_samples = 64, few_samples = 16;
/// After so long, fewer batches are enough.
constexpr double long_s = 2;
/// Loss that reverts a move. Intervals of half a second vary by about this much, intervals of few
/// batches by more.
constexpr double slower = 0.95, much_slower = 0.8, less_ready = 0.03;
/// The load of a station has changed if it differs by this share of the largest load.
constexpr double change = 0.3;
constexpr std::uint32_t intervals_to_believe = 2;
/// An interval of so many times the samples knows the times, above all the rare ones, much better.
constexpr std::uint64_t many_more = 4;

/// The knob that a move changed.
std::string described(const Setting& from, const Setting& to) {
  const auto& knob = *changed(to, &from).at(0);
  return concat(knob.name, " ", from.*knob.value, " to ", to.*knob.value);
}

bool is_rough(const Interval& seen) noexcept { return seen.batches < least_batches; }

/// Samples per second. A few batches say little about it, so then it is the rows that were made.
double rate(const Interval& seen) noexcept {
  const auto samples = is_rough(seen) && seen.hit_share <= 0 ? seen.decode.count : seen.samples;
  return seen.seconds > 0 ? static_cast<double>(samples) / seen.seconds : 0;
}

std::string rounded(double value) { return std::to_string(std::llround(value)); }

}  // namespace

Tuner::Tuner(const Setting& start, const AdviceOptions& bounds)
    : setting_(start), bounds_(bounds) {}

bool Tuner::enough(const Interval& seen) noexcept {
  if (seen.batches >= least_batches && seen.samples >= least_samples) return true;
  return seen.seconds >= long_s && seen.batches > 0 && seen.samples >= few_samples &&
         seen.consumer.count > 0;
}

Tuner::Load Tuner::load_of(const Interval& seen) noexcept {
  // Per sample: a cache that fills counts as a change.
  const auto missed = 1 - seen.hit_share;
  const auto decoded = seen.plan.cache.keep == Cache::decoded ? missed : 1;
  return {seen.read.mean_s * missed, seen.decode.mean_s * decoded,
          seen.consumer.mean_s / seen.plan.batch};
}

bool Tuner::differs(const Load& a, const Load& b) const noexcept {
  const auto at_once = [](std::uint32_t n) { return static_cast<double>(std::max(1u, n)); };
  const auto reads = at_once(setting_.read_ahead > 0 ? setting_.read_ahead : setting_.workers);
  const auto decodes = at_once(setting_.workers);
  const auto largest = std::max({a.read / reads, b.read / reads, a.decode / decodes,
                                 b.decode / decodes, a.consumer, b.consumer});
  const auto apart = [&](double x, double y, double servers) {
    return std::abs(x - y) / servers > change * largest;
  };
  return apart(a.read, b.read, reads) || apart(a.decode, b.decode, decodes) ||
         apart(a.consumer, b.consumer, 1);
}

std::optional<Tuner::Move> Tuner::look(const Interval& seen) {
  switch (phase_) {
    case Phase::settling: phase_ = Phase::judging; return std::nullopt;
    case Phase::judging:
      if (auto back = take_back(seen)) return back;
      return step(seen);
    case Phase::heading: return step(seen);
    case Phase::resting: break;
  }
  changed_ = differs(load_of(seen), assumed_) ? changed_ + 1 : 0;
  const bool changed = changed_ >= intervals_to_believe;
  if (!changed && seen.samples < many_more * assumed_samples_) return std::nullopt;
  goal_.reset();
  if (changed)
    for (auto& past : past_) past.refused = false;
  return step(seen);
}

bool Tuner::may_move(const Past& past, bool up) noexcept {
  constexpr std::uint32_t most_reverted = 2;
  return !past.refused && (up ? past.reverted < most_reverted : !past.keeps);
}

std::optional<Tuner::Move> Tuner::take_back(const Interval& seen) {
  const auto now = rate(seen);
  const bool rough = trial_.rough || is_rough(seen);
  const bool slow = now < (rough ? much_slower : slower) * trial_.samples_per_s;
  const bool late = !rough && seen.data_readiness < trial_.data_readiness - less_ready &&
                    seen.data_readiness < bounds_.target_readiness;
  if (!slow && !late) return std::nullopt;
  const auto was = setting_;
  setting_ = trial_.from;
  auto& past = past_[trial_.knob];
  past.refused = true;
  if (past.decreased)
    past.keeps = true;
  else
    ++past.reverted;
  past.decreased = false;
  phase_ = Phase::heading;
  return Move{setting_,
              described(was, setting_) + ", back again: " +
                  (slow ? rounded(now) + " samples/s after " + rounded(trial_.samples_per_s)
                        : "a batch was ready " + percent(seen.data_readiness, 0) +
                              " of the time after " + percent(trial_.data_readiness, 0))};
}

void Tuner::ask(const Interval& seen) {
  auto requested = seen;
  requested.plan.max_queue_size = setting_.max_queue_size;
  requested.plan.workers = setting_.workers;
  requested.plan.read_ahead = setting_.read_ahead;
  // Without the levers of advise(), which take longer than the rest.
  Search search(requested, bounds_);
  goal_ = search.smallest(search.ceiling());
  assumed_ = load_of(seen);
  assumed_samples_ = seen.samples;
  changed_ = 0;
}

std::optional<Tuner::Move> Tuner::step(const Interval& seen) {
  if (!goal_) ask(seen);
  // Increase knobs first. Then a decrease is not followed by an increase that compensates for it.
  for (const bool growing : {true, false}) {
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      const auto value = knobs[i].value;
      const auto wanted = goal_->setting.*value;
      auto& past = past_[i];
      if (wanted == setting_.*value || (wanted > setting_.*value) != growing ||
          !may_move(past, growing))
        continue;
      if (growing && past.decreased) past.keeps = true;
      past.decreased = !growing;
      trial_ = {i, setting_, rate(seen), seen.data_readiness, is_rough(seen)};
      setting_.*value = wanted;
      phase_ = Phase::settling;
      return Move{setting_, described(trial_.from, setting_) + ", on the way to a predicted " +
                                rounded(goal_->samples_per_s) + " samples/s and a batch ready " +
                                percent(goal_->data_readiness, 0) +
                                " of the time (measured now: " + rounded(trial_.samples_per_s) +
                                " and " + percent(trial_.data_readiness, 0) + ")"};
    }
  }
  phase_ = Phase::resting;
  return std::nullopt;
}

}  // namespace weir::advice
