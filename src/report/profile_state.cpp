#include "report/profile_state.hpp"

#include <algorithm>
#include <utility>

#include "base/internals.hpp"
#include "books/peak_watch.hpp"
#include "buffer/counts.hpp"
#include "report/process.hpp"
#include "weir/error.hpp"

namespace weir::report {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(Errc::bad_options, Stage::wait, "MemoryProfile::" + what);
}

class WatchedLedger final : public Watched {
 public:
  explicit WatchedLedger(const MemoryLedger& ledger) : watch_(Internals::books(ledger)) {}
  MemoryUse read() const override { return use(watch_.read()); }
  MemoryUse take() override { return use(watch_.take()); }

 private:
  static MemoryUse use(const books::PeakWatch::Seen& seen) {
    MemoryUse use{seen.memory.live, seen.memory.peak, {}};
    for (std::size_t i = 0; i < account_count; ++i)
      use.accounts.push_back({std::string(to_string(static_cast<Account>(i))),
                              seen.memory.accounts[i], seen.account_peaks[i],
                              seen.memory.accounts_at_peak[i]});
    return use;
  }

  books::PeakWatch watch_;
};

class WatchedCounts final : public Watched {
 public:
  explicit WatchedCounts(const CountingResource& memory) : watch_(Internals::counts(memory)) {}
  MemoryUse read() const override { return watch_.read(); }
  MemoryUse take() override { return watch_.take(); }

 private:
  buffer::CountsWatch watch_;
};

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

std::unique_ptr<Watched> watched(const MemoryLedger& ledger) {
  return std::make_unique<WatchedLedger>(ledger);
}
std::unique_ptr<Watched> watched(const CountingResource& memory) {
  return std::make_unique<WatchedCounts>(memory);
}

void ProfileState::watch(std::string name, std::unique_ptr<Watched> one) {
  Lock lock(mutex_);
  if (name.empty()) refuse("watch: the name is empty");
  if (std::find(names_.begin(), names_.end(), name) != names_.end())
    refuse("watch: '" + name + "' is watched already");
  if (!steps_.empty() || steps_begun_ > 0 || !open_.empty())
    refuse("watch: '" + name + "' comes after the first step or phase");
  names_.reserve(names_.size() + 1);
  watched_.push_back(std::move(one));
  names_.push_back(std::move(name));
}

PhaseUse ProfileState::look() {
  PhaseUse seen;
  seen.watched.reserve(watched_.size());
  for (const auto& one : watched_) seen.watched.push_back(one->take());
  const auto resident = report::resident();
  seen.rss = resident.rss;
  seen.rss_peak = high_water_is_ours_ ? std::max(resident.rss, resident.high_water) : resident.rss;
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
  if (!open_.empty()) refuse("begin_step: the phase '" + open_ + "' is open");
  if (keeps_step()) {
    const auto seen = look();
    if (!steps_.empty()) follow(steps_.back().whole, seen);
  }
  if (steps_begun_ < max_steps_) steps_.push_back({steps_begun_ + 1, {}, {}});
  ++steps_begun_;
}

void ProfileState::begin_phase(std::string name) {
  Lock lock(mutex_);
  if (name.empty()) refuse("phase: the name is empty");
  if (!open_.empty()) refuse("phase: '" + name + "' begins while '" + open_ + "' is open");
  if (keeps_step()) follow(step().whole, look());
  open_ = std::move(name);
}

void ProfileState::end_phase() {
  Lock lock(mutex_);
  if (keeps_step()) {
    const auto seen = look();
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
  PhaseUse now;
  for (const auto& one : watched_) now.watched.push_back(one->read());
  const auto resident = report::resident();
  now.rss = resident.rss;
  now.rss_peak = high_water_is_ours_ ? std::max(resident.rss, resident.high_water) : resident.rss;
  follow(steps.back().whole, now);
  return steps;
}

std::uint64_t ProfileState::steps_begun() const noexcept {
  Lock lock(mutex_);
  return steps_begun_;
}

}  // namespace weir::report
