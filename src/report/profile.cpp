#include "weir/profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "base/internals.hpp"
#include "books/ledger.hpp"
#include "buffer/counts.hpp"
#include "report/json.hpp"
#include "report/profile_state.hpp"
#include "report/profile_text.hpp"
#include "weir/error.hpp"

namespace weir {
namespace {

template <class Owner>
report::Watched watch_of(const std::shared_ptr<Owner>& owner) {
  return [watch = std::make_shared<books::PeakWatch<Owner>>(owner)](bool begin) {
    return begin ? watch->take() : watch->read();
  };
}

}  // namespace

const PhaseUse& StepUse::operator[](std::string_view phase) const {
  const auto found = std::find_if(phases.begin(), phases.end(),
                                  [&](const PhaseUse& one) { return one.name == phase; });
  if (found != phases.end()) return *found;
  throw Error(Errc::bad_options, Stage::wait,
              "step " + std::to_string(number) + " has no phase '" + std::string(phase) + "'");
}

MemoryProfile::MemoryProfile(std::size_t max_steps)
    : state_(std::make_shared<report::ProfileState>(max_steps)) {}
MemoryProfile::~MemoryProfile() = default;

void MemoryProfile::watch(std::string name, const MemoryLedger& ledger) {
  state_->watch(std::move(name), watch_of(Internals::books(ledger)));
}
void MemoryProfile::watch(std::string name, const CountingResource& memory) {
  state_->watch(std::move(name), watch_of(Internals::counts(memory)));
}

void MemoryProfile::begin_step() { state_->begin_step(); }

MemoryProfile::Phase MemoryProfile::phase(std::string name) {
  state_->begin_phase(std::move(name));
  return Phase(state_);
}

std::vector<std::string> MemoryProfile::watched() const { return state_->names(); }
std::vector<StepUse> MemoryProfile::steps() const { return state_->steps(); }
std::uint64_t MemoryProfile::steps_begun() const noexcept { return state_->steps_begun(); }

std::string MemoryProfile::text() const {
  return report::profile_text(state_->names(), state_->steps(), state_->steps_begun());
}
void MemoryProfile::write_json(std::ostream& out) const {
  out << report::write(
      report::profile_json(state_->names(), state_->steps(), state_->steps_begun()));
}

MemoryProfile::Phase::Phase(std::shared_ptr<report::ProfileState> state) noexcept
    : state_(std::move(state)) {}
MemoryProfile::Phase::Phase(Phase&& other) noexcept = default;

MemoryProfile::Phase::~Phase() {
  const auto state = state_;
  try {
    end();
  } catch (const std::exception&) {
    state->abandon_phase();
  }
}

void MemoryProfile::Phase::end() {
  if (!state_) return;
  state_->end_phase();
  state_.reset();
}

}  // namespace weir
