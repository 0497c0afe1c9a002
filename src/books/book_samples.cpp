#include <algorithm>
#include <utility>

#include "books/book.hpp"
#include "books/posting.hpp"

namespace weir::books {

// ---- slabs -----------------------------------------------------------------------------------

bool Book::try_charge_slab(std::uint64_t bytes) noexcept {
  Posting posting(*this);
  wants_slab_ = false;
  slab_asked_ = bytes;
  if (!waiters_.empty() || !fits_general(bytes)) {
    wants_slab_ = true;
    note_waiting(posting);
    return false;
  }
  charge(Account::idle, bytes, false);
  note_waiting(posting);
  return true;
}

void Book::add_slab(SlabId slab, std::uint64_t bytes) noexcept {
  Posting posting(*this);
  states_[slab] = SlabState::idle;
  slab_bytes_[slab] = bytes;
  idle_.push_back(slab);
}

void Book::remove_slab(SlabId slab) noexcept {
  Posting posting(*this);
  states_[slab] = SlabState::absent;
  idle_.erase(std::find(idle_.begin(), idle_.end(), slab));
  uncharge(Account::idle, slab_bytes_[slab], false);
  posting.freed();
}

std::optional<SlabId> Book::idle_slab() const noexcept {
  Lock lock(ledger_->mutex_);
  if (idle_.empty()) return std::nullopt;
  return idle_.back();
}

SlabState Book::state(SlabId slab) const noexcept {
  Lock lock(ledger_->mutex_);
  return states_[slab];
}

void Book::become_idle(SlabId slab, Account from) noexcept {
  states_[slab] = SlabState::idle;
  idle_.push_back(slab);
  shift(from, Account::idle, slab_bytes_[slab]);
}

std::uint64_t Book::samples_of(SlabId slab) const noexcept {
  const auto& entry = open_.entry(slab);
  return entry.rows - entry.lost;
}

// ---- the life of a batch ---------------------------------------------------------------------

void Book::begin_stream(std::uint64_t next_batch, const std::vector<std::uint64_t>& released_beyond,
                        std::shared_ptr<Wakeable> waker) {
  ReleasePrefix released(next_batch, released_beyond, terms_.slabs);
  Posting posting(*this);
  open_.restart(released.next());
  // What was there before is freed after the posting: nothing is freed under the leaf mutex.
  std::swap(released_, released);
  waker_.swap(waker);
  cancelled_ = false;
  stop_ = no_row;
  ++stream_;
}

void Book::end_stream() noexcept {
  std::shared_ptr<Wakeable> waker;
  Posting posting(*this);
  waiters_.clear();
  wants_slab_ = false;
  note_waiting(posting);
  waker.swap(waker_);
  posting.freed();
}

void Book::wake() noexcept {
  Posting posting(*this);
  posting.wake();
}

void Book::open_batch(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept {
  Posting posting(*this);
  idle_.erase(std::find(idle_.begin(), idle_.end(), slab));
  states_[slab] = SlabState::filling;
  stream_of_[slab] = stream_;
  open_.open(slab, sequence, rows);
  wants_slab_ = false;
  note_waiting(posting);
  ++filling_;
  samples_.drawn += rows;
  samples_.in_flight += rows;
  shift(Account::idle, Account::filling, slab_bytes_[slab]);
}

void Book::finish_row(SlabId slab, std::uint32_t row, bool ok, bool replaced) noexcept {
  Posting posting(*this);
  open_.finish(slab, row);
  auto& entry = open_.entry(slab);
  if (replaced) ++samples_.replaced;
  if (!ok) {
    ++entry.lost;
    ++entry.faults;
    ++samples_.failed;
    --samples_.in_flight;
  }
  if (entry.unfinished == 0 || stop_ != no_row) posting.wake();
  posting.freed();
}

void Book::fail_and_redraw(SlabId slab) noexcept {
  Posting posting(*this);
  ++open_.entry(slab).faults;
  ++samples_.failed;
  --samples_.in_flight;
  ++samples_.drawn;
  ++samples_.in_flight;
}

void Book::publish_front() noexcept {
  Posting posting(*this);
  const auto slab = open_.front();
  const auto samples = samples_of(slab);
  states_[slab] = SlabState::ready;
  --filling_;
  ++ready_;
  samples_.in_flight -= samples;
  samples_.ready += samples;
  shift(Account::filling, Account::ready, slab_bytes_[slab]);
  open_.close_front();
}

bool Book::lease(SlabId slab) noexcept {
  Posting posting(*this);
  if (cancelled_) return false;
  const auto samples = samples_of(slab);
  states_[slab] = SlabState::leased;
  holders_[slab] = "Batch";
  --ready_;
  ++leased_;
  samples_.ready -= samples;
  samples_.leased += samples;
  shift(Account::ready, Account::leased, slab_bytes_[slab]);
  posting.wake();
  return true;
}

void Book::release(SlabId slab, Parting parting, bool gone) noexcept {
  Posting posting(*this);
  const auto samples = samples_of(slab);
  --leased_;
  samples_.leased -= samples;
  (parting == Parting::consumed ? samples_.consumed : samples_.discarded) += samples;
  if (stream_of_[slab] == stream_) released_.add(open_.entry(slab).sequence);
  if (gone) {
    states_[slab] = SlabState::absent;
    uncharge(Account::leased, slab_bytes_[slab], false);
    posting.freed();
  } else {
    become_idle(slab, Account::leased);
  }
  posting.wake();
}

void Book::name_holder(SlabId slab, const char* holder) noexcept {
  Lock lock(ledger_->mutex_);
  holders_[slab] = holder;
}

void Book::list_leases(std::vector<HeldLease>& held) const {
  for (SlabId slab = 0; slab < states_.size(); ++slab)
    if (states_[slab] == SlabState::leased)
      held.push_back({open_.entry(slab).sequence, slab_bytes_[slab], holders_[slab]});
}

void Book::discard_ready(SlabId slab) noexcept {
  Posting posting(*this);
  const auto samples = samples_of(slab);
  --ready_;
  samples_.ready -= samples;
  samples_.discarded += samples;
  become_idle(slab, Account::ready);
  posting.wake();
}

void Book::drop_front() noexcept {
  Posting posting(*this);
  const auto slab = open_.front();
  const auto samples = samples_of(slab);
  --filling_;
  samples_.in_flight -= samples;
  samples_.dropped += samples;
  become_idle(slab, Account::filling);
  open_.close_front();
}

void Book::omit(std::uint64_t samples) noexcept {
  Posting posting(*this);
  samples_.omitted += samples;
}

// ---- how a stream ends -----------------------------------------------------------------------

void Book::cancel() noexcept {
  Posting posting(*this);
  cancelled_ = true;
  posting.wake();
}

bool Book::cancelled() const noexcept {
  Lock lock(ledger_->mutex_);
  return cancelled_;
}

bool Book::stop_at(RowKey row) noexcept {
  Posting posting(*this);
  if (!(row < stop_)) return false;
  stop_ = row;
  posting.wake();
  return true;
}

// ---- what the conductor reads ----------------------------------------------------------------

Book::Queue Book::queue() const noexcept {
  Lock lock(ledger_->mutex_);
  Queue queue{filling_,
              ready_,
              leased_,
              false,
              0,
              0,
              0,
              0,
              open_.oldest(),
              stop_,
              cancelled_,
              bytes_[Account::filling] + bytes_[Account::ready],
              bytes_[Account::leased],
              slab_asked_};
  if (!open_.empty()) {
    const auto& entry = open_.entry(open_.front());
    queue.front = open_.front();
    queue.front_sequence = entry.sequence;
    queue.front_faults = entry.faults;
    queue.front_redrawn = entry.faults - entry.lost;
    queue.front_complete = entry.unfinished == 0;
  }
  return queue;
}

std::uint32_t Book::leased() const noexcept {
  Lock lock(ledger_->mutex_);
  return leased_;
}

bool Book::has_released(std::uint64_t sequence) const noexcept {
  Lock lock(ledger_->mutex_);
  return released_.contains(sequence);
}

ReleasePrefix Book::released() const {
  Lock lock(ledger_->mutex_);
  return released_;
}

}  // namespace weir::books
