#include "weir/profile.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "base/internals.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"
#include "books/ledger.hpp"
#include "books/peak_watch.hpp"
#include "buffer/counts.hpp"
#include "report/json.hpp"
#include "report/process.hpp"
#include "report/profile_text.hpp"
#include "weir/error.hpp"

namespace weir {
namespace {

/// Reads a watched object: current bytes, and the maximum since the last reset. `begin` resets the
/// maximum.
using Watched = std::function<MemoryUse(bool begin)>;

template <class Owner>
Watched watch_of(const std::shared_ptr<Owner>& owner) {
  return [watch = std::make_shared<books::PeakWatch<Owner>>(owner)](bool begin) {
    return begin ? watch->take() : watch->read();
  };
}

[[noreturn]] void refuse_call(const std::string& what) {
  refuse(Stage::wait, "MemoryProfile::", what);
}

/// Combines two consecutive measurements. New accounts are only added at the end.
void follow(MemoryUse& into, MemoryUse next) {
  const bool stays_highest = into.peak >= next.peak;
  for (std::size_t i = 0; i < next.accounts.size(); ++i) {
    const auto before = i < into.accounts.size() ? into.accounts[i] : AccountUse{};
    next.accounts[i].peak = std::max(next.accounts[i].peak, before.peak);
    if (stays_highest) next.accounts[i].at_peak = before.at_peak;
  }
  next.peak = std::max(into.peak, next.peak);
  into = std::move(next);
}

void follow(PhaseUse& into, const PhaseUse& next) {
  into.watched.resize(next.watched.size());
  for (std::size_t i = 0; i < next.watched.size(); ++i) follow(into.watched[i], next.watched[i]);
  into.rss = next.rss;
  into.rss_peak = std::max(into.rss_peak, next.rss_peak);
}

PhaseUse& phase_of(StepUse& step, const std::string& name) {
  for (auto& phase : step.phases)
    if (phase.name == name) return phase;
  PhaseUse made;
  made.name = name;
  return step.phases.emplace_back(std::move(made));
}

}  // namespace

struct MemoryProfile::State {
  explicit State(std::size_t most) noexcept : max_steps(most) {}

  void watch(std::string name, Watched one) {
    const Lock lock(mutex);
    if (name.empty()) refuse_call("watch: the name is empty");
    if (std::ranges::find(names, name) != names.end())
      refuse_call("watch: '" + name + "' is watched already");
    if (!steps.empty() || steps_begun > 0 || !open.empty())
      refuse_call("watch: '" + name + "' comes after the first step or phase");
    names.reserve(names.size() + 1);
    watched.push_back(std::move(one));
    names.push_back(std::move(name));
  }
  /// Measurement since the last boundary of a phase or step.
  PhaseUse look(bool begin) const WEIR_REQUIRES(mutex) {
    PhaseUse seen;
    seen.watched.reserve(watched.size());
    for (const auto& one : watched) seen.watched.push_back(one(begin));
    const auto resident = report::resident();
    seen.rss = resident.rss;
    seen.rss_peak = high_water_is_ours ? std::max(resident.rss, resident.high_water) : resident.rss;
    return seen;
  }
  /// Calls look() and resets the peaks.
  PhaseUse take() WEIR_REQUIRES(mutex) {
    auto seen = look(true);
    high_water_is_ours = report::reset_high_water();
    return seen;
  }
  bool keeps_step() const noexcept WEIR_REQUIRES(mutex) { return steps_begun <= max_steps; }
  StepUse& step() WEIR_REQUIRES(mutex) {
    if (steps.empty()) steps.emplace_back();
    return steps.back();
  }

  mutable Mutex mutex;
  const std::size_t max_steps;
  std::vector<std::string> names WEIR_GUARDED_BY(mutex);
  std::vector<Watched> watched WEIR_GUARDED_BY(mutex);
  std::vector<StepUse> steps WEIR_GUARDED_BY(mutex);
  std::uint64_t steps_begun WEIR_GUARDED_BY(mutex) = 0;
  std::string open WEIR_GUARDED_BY(mutex);  ///< name of the open phase; empty: none
  /// Whether this profile reset it at the last boundary.
  bool high_water_is_ours WEIR_GUARDED_BY(mutex) = false;
};

const PhaseUse& StepUse::operator[](std::string_view phase) const {
  const auto found = std::ranges::find(phases, phase, &PhaseUse::name);
  if (found != phases.end()) return *found;
  refuse(Stage::wait, "step ", number, " has no phase '", phase, "'");
}

MemoryProfile::MemoryProfile(std::size_t max_steps) : state_(std::make_shared<State>(max_steps)) {}
MemoryProfile::~MemoryProfile() = default;

void MemoryProfile::watch(std::string name, const MemoryLedger& ledger) {
  state_->watch(std::move(name), watch_of(Internals::books(ledger)));
}
void MemoryProfile::watch(std::string name, const CountingResource& memory) {
  state_->watch(std::move(name), watch_of(Internals::counts(memory)));
}

void MemoryProfile::begin_step() {
  auto& s = *state_;
  const Lock lock(s.mutex);
  if (!s.open.empty()) refuse_call("begin_step: the phase '" + s.open + "' is open");
  if (s.keeps_step()) {
    const auto seen = s.take();
    if (!s.steps.empty()) follow(s.steps.back().whole, seen);
  }
  if (s.steps_begun < s.max_steps) s.steps.push_back({s.steps_begun + 1, {}, {}});
  ++s.steps_begun;
}

MemoryProfile::Phase MemoryProfile::phase(std::string name) {
  auto& s = *state_;
  const Lock lock(s.mutex);
  if (name.empty()) refuse_call("phase: the name is empty");
  if (!s.open.empty()) refuse_call("phase: '" + name + "' begins while '" + s.open + "' is open");
  if (s.keeps_step()) follow(s.step().whole, s.take());
  s.open = std::move(name);
  return Phase(state_);
}

void MemoryProfile::Phase::end() {
  if (!state_) return;
  {
    auto& s = *state_;
    const Lock lock(s.mutex);
    if (s.keeps_step()) {
      const auto seen = s.take();
      auto& current = s.step();
      auto& phase = phase_of(current, s.open);
      follow(current.whole, seen);
      follow(phase, seen);
      ++phase.times;
    }
    s.open.clear();
  }
  state_.reset();
}

MemoryProfile::Phase::Phase(std::shared_ptr<State> state) noexcept : state_(std::move(state)) {}
MemoryProfile::Phase::Phase(Phase&& other) noexcept = default;

MemoryProfile::Phase::~Phase() {
  try {
    end();
  } catch (const std::exception&) {
    const Lock lock(state_->mutex);
    state_->open.clear();
  }
}

std::vector<std::string> MemoryProfile::watched() const {
  const Lock lock(state_->mutex);
  return state_->names;
}

std::vector<StepUse> MemoryProfile::steps() const {
  const auto& s = *state_;
  const Lock lock(s.mutex);
  auto steps = s.steps;
  if (!steps.empty() && s.keeps_step()) follow(steps.back().whole, s.look(false));
  return steps;
}

std::uint64_t MemoryProfile::steps_begun() const noexcept {
  const Lock lock(state_->mutex);
  return state_->steps_begun;
}

std::string MemoryProfile::text() const {
  return report::profile_text(watched(), steps(), steps_begun());
}
void MemoryProfile::write_json(std::ostream& out) const {
  out << report::write(report::profile_json(watched(), steps(), steps_begun()));
}

}  // namespace weir
