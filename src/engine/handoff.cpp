#include "engine/handoff.hpp"

#include <string>
#include <utility>

#include "base/text.hpp"

namespace weir::engine {

void Handoff::refuse_second_consumer(const char* call) {
  Lock lock(mutex_);
  if (taker_)
    refuse(Stage::lease, call,
           ": a Stream::async_next is still out; the stream has one consumer at a time");
}

buffer::Slab* Handoff::next(std::optional<Clock::time_point> deadline, Lease lease) {
  refuse_second_consumer("Stream::next");
  look_for_ends();
  // What nobody has asked for is not waited for.
  if (!has_request() && !wait_for_request(lease == Lease::at_once ? Clock::now() : deadline))
    return nullptr;
  // Read this before counting the leases. A lease that ends in between is then no longer counted.
  const bool one_ends = loader_.pool->ending() > 0;
  if (!may_lease()) {
    if (lease == Lease::at_once && !one_ends) {
      const auto most = std::to_string(loader_.plan.max_leases);
      throw Error(Errc::too_many_leases, Stage::lease,
                  "`queue.max_leases` = " + most + ": " + most +
                      " batches are out; release one before asking for the next, or raise it");
    }
    if (one_ends) note_device_awaited();
    if (!wait_for_lease(deadline)) return nullptr;
  }
  const auto requested = Clock::now();
  loader_.stats.requested(!ready_.empty(), requested);
  return take(deadline, requested);
}

buffer::Slab* Handoff::take(std::optional<Clock::time_point> deadline,
                            Clock::time_point requested) {
  auto& stats = loader_.stats;
  while (auto* const popped = ready_.pop(deadline)) {
    auto& slab = *popped;
    const auto now = Clock::now();
    stats.ready_changed(-1, now);
    if (loader_.book->lease(slab.id)) {
      ++taken_;
      stats.others().add(Stage::handoff, now - slab.since, slab.image_bytes());
      stats.answered(slab.samples, now);
      if (slab.layout().sizes_differ()) loader_.count_images(slab);
      if (loader_.trace) note_handed(slab, requested, now);
      slab.since = now;
      return &slab;
    }
    loader_.book->discard_ready(slab.id);
  }
  stats.answered(std::nullopt, Clock::now());
  if (ready_.drained()) {
    stats.stream_ended(Clock::now());
    if (!cancelled_.load()) {
      if (const auto error = shared_.error.take()) std::rethrow_exception(error);
    }
  }
  return nullptr;
}

void Handoff::ask(Taker taker) {
  refuse_second_consumer("Stream::async_next");
  {
    Lock lock(mutex_);
    taker_requested_ = Clock::now();
    taker_ = std::move(taker);
    // As in next(): a consumer that waits for its own lease does not wait for the loader.
    if (may_lease())
      loader_.stats.requested(!ready_.empty(), taker_requested_);
    else
      await_lease(taker_requested_);
    if (lease_awaited_ && loader_.pool->ending() > 0) note_device_awaited();
  }
  shared_.conductor->wake();
}

bool Handoff::has_taker() {
  Lock lock(mutex_);
  return static_cast<bool>(taker_);
}

bool Handoff::serve(bool over) noexcept {
  Taker taker;
  Clock::time_point requested;
  {
    Lock lock(mutex_);
    if (!taker_) return false;
    over = over || cancelled_.load() || ready_.drained();
    const bool may = may_lease();
    if (lease_awaited_ && (may || over)) {
      taker_requested_ = Clock::now();
      loader_.stats.requested(!ready_.empty(), taker_requested_);
      await_lease({});
    }
    if (!over && (!may || ready_.empty())) return false;
    taker = std::exchange(taker_, nullptr);
    requested = taker_requested_;
  }
  try {
    buffer::Slab* slab = nullptr;
    std::exception_ptr error;
    try {
      slab = take(Clock::now(), requested);
    } catch (...) {
      error = std::current_exception();
    }
    taker(std::move(error), slab);
  } catch (...) {
    // The taker threw. Its batch is already released, so the stream continues.
  }
  return true;
}

void Handoff::note_handed(const buffer::Slab& slab, Clock::time_point requested,
                          Clock::time_point now) noexcept {
  auto& trace = *loader_.trace;
  trace.batch(Trace::Of::handoff, slab, slab.since, now);
  const auto wait_began = std::exchange(device_awaited_, std::nullopt).value_or(requested);
  if (handed_)
    trace.thread(Trace::Of::consume, Trace::consumer, *handed_, wait_began, handed_batch_);
  if (wait_began != requested)
    trace.thread(Trace::Of::device, Trace::consumer, wait_began, requested, slab.sequence);
  trace.thread(Trace::Of::next, Trace::consumer, requested, now, slab.sequence);
  trace.queue(*loader_.book);
  handed_ = now;
  handed_batch_ = slab.sequence;
}

void Handoff::note_device_awaited() {
  const auto now = Clock::now();
  loader_.stats.awaits_device(now);
  if (loader_.trace && !device_awaited_) device_awaited_ = now;
}

bool Handoff::has_request() const noexcept {
  const auto known = shared_.supply->known();
  return taken_ < known || known == shared_.supply->end();
}

template <class Condition>
bool Handoff::wait_until(Lock& lock, std::optional<Clock::time_point> deadline,
                         Condition condition) {
  // The stream may also end; then next() finds out.
  const auto go_on = [&] { return condition() || cancelled_.load() || ready_.drained(); };
  if (deadline) return changed_.wait_until(lock.native(), *deadline, go_on);
  changed_.wait(lock.native(), go_on);
  return true;
}

bool Handoff::wait_for_request(std::optional<Clock::time_point> deadline) {
  Lock lock(mutex_);
  return wait_until(lock, deadline, [this] { return has_request(); });
}

bool Handoff::wait_for_lease(std::optional<Clock::time_point> deadline) {
  Lock lock(mutex_);
  await_lease(Clock::now());
  const bool in_time = wait_until(lock, deadline, [this] { return may_lease(); });
  await_lease({});
  return in_time;
}

void Handoff::await_lease(std::optional<Clock::time_point> since) {
  lease_awaited_ = since;
  loader_.book->await_lease(since.has_value());
}

bool Handoff::finished() const noexcept {
  return cancelled_.load() || (ready_.drained() && !shared_.error.pending());
}

void Handoff::cancel() noexcept {
  // The books first: a taker that sees cancelled_ must find no batch that it may lease.
  loader_.book->cancel();
  cancelled_.store(true);
  shared_.stopping.store(true);
  ready_.close();
  shared_.conductor->wake();  // for a step that sees cancelled_
}

void Handoff::look_for_ends() noexcept {
  if (auto failure = loader_.pool->look()) shared_.fail(std::move(failure));
}

void Handoff::publish(buffer::Slab& slab) noexcept {
  const auto now = Clock::now();
  if (loader_.trace) loader_.trace->batch(Trace::Of::filling, slab, slab.since, now);
  slab.since = now;
  loader_.stats.ready_changed(+1, now);
  ready_.push(slab);
}

void Handoff::discard() noexcept {
  while (const auto* const slab = ready_.pop(Clock::now())) {
    loader_.stats.ready_changed(-1, Clock::now());
    loader_.book->discard_ready(slab->id);
  }
}

std::uint64_t Handoff::rests_requested() {
  Lock lock(mutex_);
  return rests_requested_;
}

void Handoff::step_ended(bool at_rest, std::uint64_t requested) {
  Lock lock(mutex_);
  if (at_rest) rested_ = requested;
  // Notify after every step, because a lease may have been released.
  changed_.notify_all();
}

std::optional<Clock::time_point> Handoff::lease_awaited() {
  Lock lock(mutex_);
  return lease_awaited_;
}

void Handoff::settle() {
  Lock lock(mutex_);
  const auto mine = ++rests_requested_;
  shared_.conductor->wake();
  changed_.wait(lock.native(), [&]() WEIR_NO_THREAD_SAFETY_ANALYSIS { return rested_ >= mine; });
}

}  // namespace weir::engine
