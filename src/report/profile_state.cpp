#include "report/profile_state.hpp"

#include <algorithm>
#include <utility>

#include "report/process.hpp"
#include "weir/error.hpp"

namespace weir::report {
namespace {

[[noreturn]] void refuse_call(const std::string& what) {
  throw Error(Errc::bad_options, Stage::wait, "MemoryProfile::" + what);
}

/// What `into` saw, and then `next`. Accounts are only ever added behind the others.
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

void ProfileState::watch(std::string name, Watched one) {
  Lock lock(mutex_);
  if (name.empty()) refuse_call("watch: the name is empty");
  if (std::find(names_.begin(), names_.end(), name) != names_.end())
    refuse_call("watch: '" + name + "' is watched already");
  if (!steps_.empty() || steps_begun_ > 0 || !open_.empty())
    refuse_call("watch: '" + name + "' comes after the first step or phase");
  names_.reserve(names_.size() + 1);
  watched_.push_back(std::move(one));
  names_.push_back(std::move(name));
}

PhaseUse ProfileState::look(bool begin) const {
  PhaseUse seen;
  seen.watched.reserve(watched_.size());
  for (const auto& one : watched_) seen.watched.push_back(one(begin));
  const auto resident = report::resident();
  seen.rss = resident.rss;
  seen.rss_peak = high_water_is_ours_ ? std::max(resident.rss, resident.high_water) : resident.rss;
  return seen;
}

PhaseUse ProfileState::take() {
  auto seen = look(true);
  high_water_is_ours_ = reset_high_water();
  return seen;
}

bool ProfileState::keeps_step() const noexcept { return steps_begun_ <= max_steps_; }

StepUse& ProfileState::step() {
  if (steps_.empty()) steps_.emplace_back();
  return steps_.back();
}

void ProfileState::begin_step() {
  Lock lock(mutex_);
  if (!open_.empty()) refuse_call("begin_step: the phase '" + open_ + "' is open");
  if (keeps_step()) {
    const auto seen = take();
    if (!steps_.empty()) follow(steps_.back().whole, seen);
  }
  if (steps_begun_ < max_steps_) steps_.push_back({steps_begun_ + 1, {}, {}});
  ++steps_begun_;
}

void ProfileState::begin_phase(std::string name) {
  Lock lock(mutex_);
  if (name.empty()) refuse_call("phase: the name is empty");
  if (!open_.empty()) refuse_call("phase: '" + name + "' begins while '" + open_ + "' is open");
  if (keeps_step()) follow(step().whole, take());
  open_ = std::move(name);
}

void ProfileState::end_phase() {
  Lock lock(mutex_);
  if (keeps_step()) {
    const auto seen = take();
    auto& current = step();
    auto& phase = phase_of(current, open_);
    follow(current.whole, seen);
    follow(phase, seen);
    ++phase.times;
  }
  open_.clear();
}

void ProfileState::abandon_phase() noexcept {
  Lock lock(mutex_);
  open_.clear();
}

std::vector<std::string> ProfileState::names() const {
  Lock lock(mutex_);
  return names_;
}

std::vector<StepUse> ProfileState::steps() const {
  Lock lock(mutex_);
  auto steps = steps_;
  if (steps.empty() || !keeps_step()) return steps;
  follow(steps.back().whole, look(false));
  return steps;
}

std::uint64_t ProfileState::steps_begun() const noexcept {
  Lock lock(mutex_);
  return steps_begun_;
}

}  // namespace weir::report
