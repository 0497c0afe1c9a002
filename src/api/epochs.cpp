#include "weir/stream.hpp"

#include "api/epoch_visit.hpp"

namespace weir {
namespace api {

EpochsState::EpochsState(std::shared_ptr<LoaderState> its_loader, const StreamOptions& stream,
                         const EpochOptions& how)
    : loader(std::move(its_loader)),
      stop_(stream.stop),
      how_(how),
      schedule_(std::make_shared<const conductor::Schedule>(schedule_of(*loader, stream))),
      finished_(std::make_shared<FinishedBatches>(loader->plan.max_leases)) {}

EpochsState::~EpochsState() {
  if (ahead_) std::move(*ahead_).discard();
}

bool EpochsState::enter(EpochVisit& visit) {
  loader->refuse_in_child();
  if (visit_) leave(*visit_);
  if (std::exchange(rest_due_, false)) end_stream();
  if (!ahead_ && !over_) {
    if (!stream_) start();
    ahead_ = next();
  }
  if (!ahead_) return false;
  visit_ = &visit;
  at_ = At::inside;
  visit.number = ahead_->epoch();
  return true;
}

std::optional<Batch> EpochsState::take(const EpochVisit& visit) {
  loader->refuse_in_child();
  if (visit_ != &visit) return std::nullopt;
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
  threw_ = true;
  try {
    if (stream_) batch = stream_->next(std::nullopt, engine::Handoff::Lease::at_once);
  } catch (...) {
    over_ = stream_->running->handoff().finished();  // not if the trainer holds too many batches
    throw;
  }
  threw_ = false;
  over_ = !batch;
  if (batch) ++next_;
  return batch;
}

void EpochsState::leave(const EpochVisit& visit, bool thrown) noexcept {
  if (visit_ != &visit) return;
  visit_ = nullptr;
  const auto at = std::exchange(at_, At::outside);
  // What a stream did not deliver before its end is not finished.
  if (over_) return;
  // The body of the outer loop may have caught what left the inner one.
  const bool goes_on =
      at == At::inside && (how_.go_on_when_left || threw_ || stream_->is_thrown(next_ - 1));
  if (thrown)
    rest_due_ = at == At::end && how_.rest;
  else if ((at == At::inside && !goes_on) || (at == At::end && how_.rest))
    end_stream();
}

void EpochsState::end_stream() noexcept {
  if (ahead_) std::move(*ahead_).discard();
  ahead_.reset();
  stream_.reset();
  const auto end = schedule_->end_of_epoch(next_ - 1);
  finished_->add_all({next_, end});
  next_ = end;
}

void EpochsState::start() {
  if (next_ > 0 && next_ == schedule_->end()) return;
  // An epoch without batches has no end at which to rest.
  const bool rests = how_.rest && schedule_->end() > 0;
  stream_ = std::make_shared<StreamState>(
      loader,
      std::make_shared<conductor::ScheduledSupply>(
          schedule_, loader->sampler, next_, rests ? schedule_->end_of_epoch(next_) : unlimited),
      finished_, stop_);
  stream_->frees_slabs = how_.rest;
}

Progress EpochsState::progress(bool all_ranks) const {
  loader->refuse_in_child();
  return loader->progress(schedule_->progress(finished_->read(), all_ranks));
}

}  // namespace api

std::uint64_t Epoch::number() const noexcept { return visit_ ? visit_->number : 0; }
std::optional<Batch> Epoch::next() { return visit_ ? visit_->next() : std::nullopt; }

Epochs::Epochs(std::shared_ptr<api::EpochsState> state) noexcept : state_(std::move(state)) {}

Epoch Epochs::next() {
  auto visit = make_kept_in_child<api::EpochVisit>(state_);
  return visit->enter() ? Epoch(std::move(visit)) : Epoch();
}

Progress Epochs::progress() const { return state_->progress(false); }
Progress Epochs::progress_of_all() const { return state_->progress(true); }

}  // namespace weir
