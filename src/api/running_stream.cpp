#include "api/running_stream.hpp"

#include <utility>

#include "base/internals.hpp"
#include "base/text.hpp"
#include "weir/plan.hpp"

namespace weir::api {

RunningStream::RunningStream(std::shared_ptr<LoaderState> its_loader, const char* call,
                             const char* next)
    : loader(std::move(its_loader)), next_name_(next) {
  if (loader->streaming.exchange(true))
    refuse(Stage::lease, call, ": one live stream a loader; end the other one first");
}

RunningStream::~RunningStream() {
  end();
  charged_ = {};
  loader->book->take_back(promised_);
  loader->streaming.store(false);
}

void RunningStream::begin(std::shared_ptr<const conductor::Supply> supply,
                          const source::Sampler& order, std::uint64_t first,
                          const std::stop_token& stop,
                          std::function<void(std::uint64_t)> finished) {
  finished_ = std::make_shared<Finished>(std::move(finished));
  first_ = first;
  running = std::make_unique<engine::Engine>(*loader, std::move(supply), order);
  if (loader->options.tuning.mode == Tuning::automatic) tuning.emplace(*running, *loader);
  on_stop_.emplace(stop, [this] { running->handoff().cancel(); });
}

void RunningStream::end() noexcept {
  on_stop_.reset();
  if (!running) return;
  running->handoff().cancel();
  // Waits until no other thread is in next(), settle() or set().
  { const Lock leaves(consumer); }
  { const Lock leaves(settler); }
  { const Lock leaves(setter); }
  tuning.reset();
  // Callbacks may call cancel() until here.
  running->shut_down();
  if (frees_slabs) loader->pool->free_idle();
}

void RunningStream::charge(std::uint64_t bytes, const char* option, const char* what) {
  // The promise has one slab more than the trainer needs. What exceeds it is promised, too.
  const auto more = sub_floor(bytes, loader->plan.slab_bytes);
  std::optional<Charge> charged;
  if (loader->book->promise(more)) {
    promised_ = more;
    charged = books::charge(loader->book, Account::index, bytes);
  }
  if (!charged)
    throw_error(Errc::budget_too_small, Stage::wait, option, ": the budget has no room for ", bytes,
                " bytes of ", what);
  charged_ = std::move(*charged);
}

Receipt RunningStream::receipt_of(const buffer::Slab& slab) const noexcept {
  return Internals::make<Receipt>(finished_, first_ + slab.sequence);
}

std::optional<Batch> RunningStream::next(std::optional<Clock::time_point> deadline,
                                         engine::Handoff::Lease lease) {
  refuse_strangers(next_name_);
  Lock lock(consumer);
  auto* const slab = running->handoff().next(deadline, lease);
  if (!slab) return std::nullopt;
  return Internals::make<Batch>(loader->pool, *slab, receipt_of(*slab));
}

void RunningStream::set(const char* call, const char* option, std::uint32_t Setting::*knob,
                        std::uint32_t value) {
  refuse_strangers(call);
  const auto refuse_value = [&](const auto&... why) {
    refuse(Stage::lease, call, "(n = ", value, "): ", why...);
  };
  if (tuning) refuse_value("`tuning.mode` = automatic changes the knobs itself; use off");
  const auto most = setting_of(loader->plan).*knob;
  if (value < 1 || value > most)
    refuse_value(
        "must be 1 to ", most, ", as planned",
        value < 1 ? "" : concat("; make the Loader with a larger `", option, "` for more"));
  Lock lock(setter);
  auto wanted = loader->knobs.get().now;
  wanted.*knob = value;
  running->apply(wanted);
}

void RunningStream::refuse_strangers(const char* call) const {
  loader->refuse_in_child();
  running->refuse_own_thread(call);
}

}  // namespace weir::api
