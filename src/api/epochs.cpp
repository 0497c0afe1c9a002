#include "weir/epochs.hpp"

#include "api/epochs_state.hpp"
#include "conductor/progress.hpp"

namespace weir {
namespace api {

EpochsState::EpochsState(std::shared_ptr<LoaderState> its_loader, const StreamOptions& stream,
                         const EpochOptions& how)
    : loader(std::move(its_loader)), options_(stream), how_(how) {
  static_cast<void>(loader->schedule(options_));
}

EpochsState::~EpochsState() {
  if (ahead_) std::move(*ahead_).discard();
}

bool EpochsState::enter() {
  loader->refuse_in_child();
  leave(visit_);
  if (std::exchange(rest_due_, false)) end_stream();
  if (!ahead_ && !over_) {
    if (!stream_) start();
    ahead_ = next();
  }
  if (!ahead_) return false;
  ++visit_;
  at_ = At::inside;
  number_ = ahead_->epoch();
  return true;
}

std::optional<Batch> EpochsState::take(std::uint64_t visit) {
  loader->refuse_in_child();
  if (visit != visit_) return std::nullopt;
  if (at_ != At::inside) {
    leave(visit);
    return std::nullopt;
  }
  auto batch = ahead_ ? std::exchange(ahead_, std::nullopt) : next();
  if (!batch)
    at_ = At::outside;
  else if (batch->last_of_epoch())
    at_ = At::end;
  return batch;
}

std::optional<Batch> EpochsState::next() {
  std::optional<Batch> batch;
  try {
    if (stream_) batch = stream_->next(std::nullopt, engine::Engine::Lease::at_once);
  } catch (...) {
    over_ = stream_->running->finished();  // not if the trainer holds too many batches
    throw;
  }
  over_ = !batch;
  return batch;
}

void EpochsState::leave(std::uint64_t visit, bool thrown) noexcept {
  if (visit != visit_) return;
  const auto at = std::exchange(at_, At::outside);
  // After its end, the stream stays for progress().
  if (over_) return;
  if (thrown)
    rest_due_ = at == At::end && how_.rest;
  else if ((at == At::inside && !how_.go_on_when_left) || (at == At::end && how_.rest))
    end_stream();
}

void EpochsState::end_stream() noexcept {
  if (ahead_) std::move(*ahead_).discard();
  ahead_.reset();
  stream_.reset();
  begin_ = number_ + 1;
}

StreamOptions EpochsState::from_here() const {
  auto options = options_;
  if (!begin_) return options;
  if (options.resume)
    options.resume->epochs =
        conductor::from_epoch(std::move(options.resume->epochs), *begin_, loader->positions());
  else
    options.first_epoch = *begin_;
  return options;
}

void EpochsState::start() {
  auto options = from_here();
  if (how_.rest) {
    // An epoch without batches has no end at which to rest.
    const auto schedule = loader->schedule(options);
    if (schedule.end() == 0) return;
    options.epochs = schedule.at(0).epoch + 1;
  }
  stream_ = std::make_shared<StreamState>(loader, options);
  stream_->frees_slabs = how_.rest;
}

Progress EpochsState::progress(bool all_ranks) const {
  if (stream_) return stream_->progress(all_ranks);
  const auto options = from_here();
  if (options.resume) return *options.resume;
  return loader->progress(conductor::from_epoch({}, options.first_epoch, loader->positions()));
}

bool EpochVisit::enter() {
  if (!state_->enter()) return false;
  visit_ = state_->visit();
  number_ = state_->number();
  return true;
}

EpochVisit::~EpochVisit() {
  if (state_->loader->fork_guard.in_child())
    leak(std::move(state_));
  else if (visit_ > 0)
    state_->leave(visit_, std::uncaught_exceptions() > exceptions_);
}

}  // namespace api

std::uint64_t Epoch::number() const noexcept { return visit_ ? visit_->number() : 0; }
std::optional<Batch> Epoch::next() { return visit_ ? visit_->next() : std::nullopt; }

Epochs::Epochs(std::shared_ptr<api::EpochsState> state) noexcept : state_(std::move(state)) {}
Epochs::Epochs(Epochs&&) noexcept = default;
Epochs& Epochs::operator=(Epochs&& other) noexcept {
  Epochs gone(std::move(other));
  state_.swap(gone.state_);
  return *this;
}
Epochs::~Epochs() {
  if (state_ && state_->loader->fork_guard.in_child()) leak(std::move(state_));
}

Epoch Epochs::next() {
  auto visit = std::make_shared<api::EpochVisit>(state_);
  return visit->enter() ? Epoch(std::move(visit)) : Epoch();
}

Progress Epochs::progress() const { return state_->progress(false); }
Progress Epochs::progress_of_all() const { return state_->progress(true); }

}  // namespace weir
