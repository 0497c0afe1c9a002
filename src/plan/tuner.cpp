#include "plan/tuner.hpp"

#include <algorithm>
#include <cmath>

#include "plan/search.hpp"

namespace weir::plan {
namespace {

constexpr std::uint64_t least_batches = 8, least_samples = 64;
/// Loss that reverts a move. Windows of half a second vary by about this much.
constexpr double slower = 0.95, less_ready = 0.03;
/// The load of a station has changed if it differs by this share of the largest load.
constexpr double change = 0.3;
constexpr std::uint32_t windows_to_believe = 2;

std::string described(const Setting& from, const Setting& to) {
  for (const auto& knob : knobs) {
    if (from.*knob.value != to.*knob.value)
      return std::string(knob.name) + " " + std::to_string(from.*knob.value) + " to " +
             std::to_string(to.*knob.value);
  }
  return "nothing";
}

double rate(const Window& seen) {
  return seen.seconds > 0 ? static_cast<double>(seen.samples) / seen.seconds : 0;
}

std::string rounded(double value) { return std::to_string(std::llround(value)); }
std::string percent(double share) { return rounded(100 * share) + " %"; }

}  // namespace

Tuner::Tuner(const Setting& start, const AdviceOptions& bounds)
    : setting_(start), bounds_(bounds) {}

bool Tuner::enough(const Window& seen) noexcept {
  return seen.batches >= least_batches && seen.samples >= least_samples;
}

Tuner::Load Tuner::load_of(const Window& seen, const Setting& setting) noexcept {
  const auto at_once = [](std::uint32_t n) { return static_cast<double>(std::max(1u, n)); };
  // Per sample: a cache that fills counts as a change.
  const auto missed = 1 - seen.hit_share;
  const auto decoded = seen.plan.cache.keep == Cache::decoded ? missed : 1;
  return {seen.read.mean_s * missed /
              at_once(setting.read_ahead > 0 ? setting.read_ahead : setting.workers),
          seen.decode.mean_s * decoded / at_once(setting.workers),
          seen.consumer.mean_s / setting.batch};
}

bool Tuner::differs(const Load& a, const Load& b) noexcept {
  const auto largest = std::max({a.read, a.decode, a.consumer, b.read, b.decode, b.consumer});
  const auto apart = [&](double x, double y) { return std::abs(x - y) > change * largest; };
  return apart(a.read, b.read) || apart(a.decode, b.decode) || apart(a.consumer, b.consumer);
}

std::optional<Tuner::Move> Tuner::look(const Window& seen) {
  switch (phase_) {
    case Phase::settling: phase_ = Phase::judging; return std::nullopt;
    case Phase::judging:
      if (auto back = take_back(seen)) return back;
      return step(seen);
    case Phase::heading: return step(seen);
    case Phase::resting: break;
  }
  const auto load = load_of(seen, setting_);
  if (!at_rest_) at_rest_ = load;
  changed_ = differs(load, *at_rest_) ? changed_ + 1 : 0;
  if (changed_ < windows_to_believe) return std::nullopt;
  goal_.reset();
  refused_ = {};
  return step(seen);
}

std::optional<Tuner::Move> Tuner::take_back(const Window& seen) {
  const auto now = rate(seen);
  const bool slow = now < slower * trial_.samples_per_s;
  const bool late = seen.data_readiness < trial_.data_readiness - less_ready &&
                    seen.data_readiness < bounds_.target_readiness;
  if (!slow && !late) return std::nullopt;
  refused_[trial_.knob] = true;
  const auto was = setting_;
  setting_ = trial_.from;
  phase_ = Phase::heading;
  return Move{setting_,
              described(was, setting_) + ", back again: " +
                  (slow ? rounded(now) + " samples/s after " + rounded(trial_.samples_per_s)
                        : "a batch was ready " + percent(seen.data_readiness) +
                              " of the time after " + percent(trial_.data_readiness))};
}

void Tuner::ask(const Window& seen) {
  auto requested = seen;
  requested.plan.max_queue_size = setting_.max_queue_size;
  requested.plan.workers = setting_.workers;
  requested.plan.read_ahead = setting_.read_ahead;
  // Without the levers of advise(), which take longer than the rest.
  Search search(requested, bounds_);
  goal_ = search.smallest(search.ceiling());
  at_rest_.reset();
  changed_ = 0;
}

std::optional<Tuner::Move> Tuner::step(const Window& seen) {
  if (!goal_) ask(seen);
  // Increase knobs first. Then a decrease is not followed by an increase that compensates for it.
  for (const bool growing : {true, false}) {
    for (std::size_t i = 0; i < knobs.size(); ++i) {
      const auto value = knobs[i].value;
      const auto wanted = goal_->setting.*value;
      if (refused_[i] || wanted == setting_.*value || (wanted > setting_.*value) != growing)
        continue;
      trial_ = {i, setting_, rate(seen), seen.data_readiness};
      setting_.*value = wanted;
      phase_ = Phase::settling;
      return Move{setting_, described(trial_.from, setting_) + ", on the way to " +
                                rounded(goal_->samples_per_s) + " samples/s and a batch ready " +
                                percent(goal_->data_readiness) + " of the time (now " +
                                rounded(trial_.samples_per_s) + " and " +
                                percent(trial_.data_readiness) + ")"};
    }
  }
  phase_ = Phase::resting;
  return std::nullopt;
}

}  // namespace weir::plan
