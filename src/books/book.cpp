#include "books/book.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "weir/error.hpp"

namespace weir::books {
namespace {

constexpr std::size_t index_of(SlabState state) { return static_cast<std::size_t>(state); }

constexpr Account account_of(SlabState state) {
  constexpr Account accounts[]{
      {}, Account::idle, Account::filling, Account::ready, Account::leased};
  return accounts[index_of(state)];
}

}  // namespace

std::shared_ptr<Book> Book::open(std::shared_ptr<Ledger> ledger, const ShareLimits& limits) {
  for (;;) {
    try {
      return std::make_shared<Book>(ledger, limits);
    } catch (const Error&) {
      // Cached bytes above the promise of their share can be evicted.
      if (!ledger->evict(nullptr)) throw;
    }
  }
}

Book::Book(std::shared_ptr<Ledger> ledger, const ShareLimits& limits)
    : ledger_(std::move(ledger)),
      limits_(limits),
      slabs_(limits.slabs),
      records_charged_(limits.records),
      open_(limits.slabs),
      slab_requested_(limits.slab_bytes) {
  share_.promise = limits.promise;
  share_.reserve = limits.reserve;
  share_.slabs = &slabs_;
  Lock lock(ledger_->mutex());
  ledger_->open(share_);
  if (limits_.slabs > 0) ledger_->count_loader(+1);
}

Book::~Book() {
  {
    Lock lock(ledger_->mutex());
    ledger_->close(share_);
    if (limits_.slabs > 0) ledger_->count_loader(-1);
  }
  ledger_->wake_waiting();
}

void Book::retire() noexcept {
  Posting posting(*this);
  const auto records = std::exchange(records_charged_, limits_.records) - limits_.records;
  ledger_->uncharge(share_, Account::index, mul_sat(records, limits_.record_bytes));
  ledger_->retire(share_);
  posting.freed();
}

// ---- bytes -----------------------------------------------------------------------------------

void Book::note_waiting(Posting& posting) noexcept {
  const bool waiting = !waiters_.empty() || wants_slab_;
  if (waiting == (share_.ticket != 0)) return;
  ledger_->set_waiting(share_, waiting);
  if (!waiting) posting.freed();  // shares that began to wait later may now be next
  wanted_.store(waiting, std::memory_order_relaxed);
}

bool Book::try_charge(Account account, std::uint64_t bytes) noexcept {
  for (;;) {
    {
      Posting posting(*this);
      if (ledger_->fits(share_, bytes)) {
        ledger_->charge(share_, account, bytes);
        return true;
      }
      if (ledger_->missing(share_, bytes) > ledger_->evictable_bytes(share_)) return false;
    }
    if (!ledger_->evict(this)) return false;
  }
}

void Book::discharge(Account account, const Admitted& bytes) noexcept {
  if (bytes.bytes == 0) return;
  Posting posting(*this);
  ledger_->uncharge(share_, account, bytes.bytes, bytes.reserve);
  posting.freed();
}

void Book::transfer(Account from, Account to, std::uint64_t bytes) noexcept {
  Posting posting(*this);
  ledger_->move(share_, from, to, bytes);
}

bool Book::may_go_first(RowKey row) const noexcept {
  return row == open_.oldest() || waiters_.empty() || row <= waiters_.oldest()->row;
}

bool Book::capped(const Claim& claim) const noexcept {
  const auto encoded = share_.bytes[Account::encoded];
  const auto working = encoded + share_.bytes[Account::scratch] - share_.reserve_used;
  if (add_sat(working, claim.bytes) > limits_.working_cap) return true;
  return claim.account == Account::encoded && claim.row != open_.oldest() &&
         add_sat(encoded, claim.bytes) > limits_.encoded_cap;
}

std::optional<Admitted> Book::try_admit(const Claim& claim) noexcept {
  const auto& [row, account, bytes] = claim;
  Admitted admitted{bytes, false};
  if (!may_go_first(row) || capped(claim) || !ledger_->fits(share_, bytes)) {
    admitted.reserve = true;
    if (row != open_.oldest() || add_sat(share_.reserve_used, bytes) > share_.reserve)
      return std::nullopt;
  }
  ledger_->charge(share_, account, bytes, admitted.reserve);
  return admitted;
}

std::optional<Admitted> Book::admit(RowKey row, Account account, std::uint64_t bytes,
                                    Waiter* waiter) noexcept {
  const Claim claim{row, account, bytes};
  Posting posting(*this);
  const auto admitted = try_admit(claim);
  if (!admitted && waiter) {
    static_cast<Claim&>(*waiter) = claim;
    waiter->parked = false;
    waiters_.insert(*waiter);
    note_waiting(posting);
  }
  return admitted;
}

void Book::park(Waiter& waiter) noexcept {
  Posting posting(*this);
  waiter.parked = true;
  posting.wake();
}

Waiter* Book::grant_oldest() noexcept {
  Posting posting(*this);
  Waiter* const waiter = waiters_.oldest();
  if (!waiter || !waiter->parked || cancelled_) return nullptr;
  const auto admitted = try_admit(*waiter);
  if (!admitted) return nullptr;
  waiter->granted = *admitted;
  waiters_.pop();
  note_waiting(posting);
  return waiter;
}

// ---- a cache ---------------------------------------------------------------------------------

bool Book::try_charge_cache(std::uint64_t bytes, std::uint64_t cap) noexcept {
  Posting posting(*this);
  if (ledger_->anyone_waits() || add_sat(share_.cached, bytes) > cap ||
      !ledger_->fits(share_, bytes))
    return false;
  ledger_->charge(share_, Account::cache, bytes);
  share_.cached += bytes;
  return true;
}

void Book::discharge_cache(std::uint64_t bytes) noexcept {
  Posting posting(*this);
  ledger_->uncharge(share_, Account::cache, bytes);
  share_.cached -= bytes;
  posting.freed();
}

std::uint64_t Book::shortage(const Claim& claim) const noexcept {
  const bool helped = may_go_first(claim.row) && !capped(claim);
  return helped ? ledger_->missing_of_caches(share_, claim.bytes) : 0;
}

std::uint64_t Book::shortage_of_waiting() const noexcept {
  if (cancelled_) return 0;
  const auto* const waiter = waiters_.oldest();
  if (!waiter) return wants_slab_ ? ledger_->missing_of_caches(share_, slab_requested_) : 0;
  // If the worker still holds the sample, the waiter is checked again when it parks.
  return waiter->parked ? shortage(*waiter) : 0;
}

bool Book::make_room(const Claim* claim) noexcept {
  for (bool any = false;; any = true) {
    {
      Lock lock(ledger_->mutex());
      if ((claim ? shortage(*claim) : shortage_of_waiting()) == 0) return any;
    }
    if (!ledger_->evict(this)) return any;
  }
}

// ---- slabs: see also book_slabs.cpp -----------------------------------------------------------

void Book::set_state(SlabId slab, SlabState to) noexcept {
  auto& [state, next_idle, bytes, stream, lease] = slabs_[slab];
  if (state == SlabState::idle) {
    auto* link = &idle_;
    while (*link != slab) link = &slabs_[*link].next_idle;
    *link = next_idle;
  }
  if (to == SlabState::idle) next_idle = std::exchange(idle_, slab);
  --in_state_[index_of(state)];
  ++in_state_[index_of(to)];
  state = to;
}

void Book::become(SlabId slab, SlabState to) noexcept {
  const auto from = account_of(slabs_[slab].state);
  set_state(slab, to);
  ledger_->move(share_, from, account_of(to), slabs_[slab].bytes);
}

void Book::move_samples(SlabId slab, Count from, Count to) noexcept {
  const auto& entry = open_.entry(slab);
  samples_.*from -= entry.rows - entry.lost;
  samples_.*to += entry.rows - entry.lost;
}

// ---- the life of a batch ---------------------------------------------------------------------

void Book::begin_stream(std::shared_ptr<Wakeable> waker) noexcept {
  Posting posting(*this);
  open_.restart();
  // Objects must not be freed under the leaf mutex, so the old waker is freed after the posting.
  share_.waker.swap(waker);
  cancelled_ = false;
  stop_ = no_row;
}

void Book::end_stream() noexcept {
  std::shared_ptr<Wakeable> waker;
  Posting posting(*this);
  waiters_.clear();
  wants_slab_ = false;
  note_waiting(posting);
  waker.swap(share_.waker);
  posting.freed();
}

void Book::wake() noexcept {
  Posting posting(*this);
  posting.wake();
}

void Book::open_batch(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept {
  Posting posting(*this);
  open_.open(slab, sequence, rows);
  wants_slab_ = false;
  note_waiting(posting);
  samples_.drawn += rows;
  samples_.in_flight += rows;
  become(slab, SlabState::filling);
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
  move_samples(slab, &SampleTally::in_flight, &SampleTally::ready);
  become(slab, SlabState::ready);
  open_.close_front();
}

bool Book::lease(SlabId slab) noexcept {
  Posting posting(*this);
  if (cancelled_) return false;
  move_samples(slab, &SampleTally::ready, &SampleTally::leased);
  become(slab, SlabState::leased);
  slabs_[slab].lease = {open_.entry(slab).sequence, slabs_[slab].bytes, "Batch"};
  posting.wake();
  return true;
}

void Book::release(SlabId slab, Parting parting, bool gone) noexcept {
  Posting posting(*this);
  move_samples(slab, &SampleTally::leased,
               parting == Parting::consumed ? &SampleTally::consumed : &SampleTally::discarded);
  slabs_[slab].lease.reset();
  if (gone) {
    set_state(slab, SlabState::absent);
    ledger_->uncharge(share_, Account::leased, slabs_[slab].bytes);
    posting.freed();
  } else {
    become(slab, SlabState::idle);
  }
  posting.wake();
}

void Book::name_holder(SlabId slab, const char* holder) noexcept {
  Lock lock(ledger_->mutex());
  slabs_[slab].lease->holder = holder;
}

void Book::discard_ready(SlabId slab) noexcept {
  Posting posting(*this);
  move_samples(slab, &SampleTally::ready, &SampleTally::discarded);
  become(slab, SlabState::idle);
  posting.wake();
}

void Book::drop_front() noexcept {
  Posting posting(*this);
  const auto slab = open_.front();
  move_samples(slab, &SampleTally::in_flight, &SampleTally::dropped);
  become(slab, SlabState::idle);
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

bool Book::stop_at(RowKey row) noexcept {
  Posting posting(*this);
  if (!(row < stop_)) return false;
  stop_ = row;
  posting.wake();
  return true;
}

Book::Queue Book::queue() const noexcept {
  Lock lock(ledger_->mutex());
  Queue queue{.filling = batches(SlabState::filling),
              .ready = batches(SlabState::ready),
              .leased = batches(SlabState::leased),
              .oldest = open_.oldest(),
              .stop = stop_,
              .cancelled = cancelled_,
              .queue_bytes = share_.bytes[Account::filling] + share_.bytes[Account::ready],
              .leased_bytes = share_.bytes[Account::leased],
              .slab_requested = slab_requested_};
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

}  // namespace weir::books
