#include "books/book.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace weir::books {
namespace {

constexpr std::size_t index_of(SlabState state) { return static_cast<std::size_t>(state); }

/// Where the bytes and the samples of a slab are, by its state.
constexpr std::pair<Account, std::uint64_t SampleTally::*> homes[slab_states]{
    {},
    {Account::idle, nullptr},
    {Account::filling, &SampleTally::in_flight},
    {Account::ready, &SampleTally::ready},
    {Account::leased, &SampleTally::leased}};

}  // namespace

Book::Book(std::shared_ptr<Ledger> ledger, const ShareLimits& limits)
    : Budget(std::move(ledger), limits),
      slabs_(limits.slabs),
      records_charged_(limits.records),
      open_(limits.slabs) {
  Lock lock(ledger_->mutex());
  share_.slabs = &slabs_;
  ledger_->count_loader(+1);
}

Book::~Book() {
  Lock lock(ledger_->mutex());
  share_.slabs = nullptr;
  ledger_->count_loader(-1);
}

void Book::retire() noexcept {
  Posting posting(*this);
  const auto records = std::exchange(records_charged_, limits_.records) - limits_.records;
  ledger_->uncharge(share_, Account::index, mul_sat(records, limits_.record_bytes));
  ledger_->set_promise(share_, 0, 0);
  posting.freed();
}

// ---- slabs -----------------------------------------------------------------------------------

bool Book::try_charge_slab(std::uint64_t bytes) noexcept {
  Posting posting(*this);
  // A slab that was removed leaves its records to the next one.
  const auto needed = batches(SlabState::absent) > 0 ? 0 : slabs_.next_capacity();
  const auto records = needed - std::min(needed, records_charged_);
  const auto record_bytes = mul_sat(records, limits_.record_bytes);
  slab_requested_ = add_sat(bytes, record_bytes);
  wants_slab_ = !waiters_.empty() || !ledger_->fits(share_, slab_requested_);
  note_waiting(posting);
  if (wants_slab_) return false;
  ledger_->charge(share_, Account::idle, bytes);
  if (record_bytes > 0) ledger_->charge(share_, Account::index, record_bytes);
  records_charged_ += records;
  return true;
}

void Book::reserve_slab(SlabId slab) {
  for (;;) {
    std::uint32_t more = 0;
    {
      Lock lock(ledger_->mutex());
      if (slab < slabs_.capacity() || slabs_.capacity() == limits_.slabs) return;
      more = slabs_.next_capacity() - slabs_.capacity();
    }
    // Nothing may be allocated under the leaf mutex. Only the conductor changes the tables.
    Grown<SlabRecord>::Piece records(more);
    auto entries = OpenBatches::piece(more, limits_.batch);
    Lock lock(ledger_->mutex());
    slabs_.add(std::move(records));
    open_.add(std::move(entries));
    in_state_[index_of(SlabState::absent)] += more;
  }
}

void Book::add_slab(SlabId slab, std::uint64_t bytes) {
  reserve_slab(slab);
  Posting posting(*this);
  slabs_[slab].bytes = bytes;
  become(slab, SlabState::idle);
}

std::optional<SlabId> Book::fitting_slab(std::uint64_t bytes, std::uint64_t most) const noexcept {
  most = std::min(most, add_sat(bytes, bytes / 8));
  Lock lock(ledger_->mutex());
  std::optional<SlabId> best;
  for (auto slab = idle_; slab != no_slab; slab = slabs_[slab].next_idle) {
    const auto has = slabs_[slab].bytes;
    if (has >= bytes && has <= most && (!best || has < slabs_[*best].bytes)) best = slab;
  }
  return best;
}

void Book::remove_slab(SlabId slab) noexcept {
  Posting posting(*this);
  become(slab, SlabState::absent);
  posting.freed();
}

void Book::become(SlabId slab, SlabState to, Count end) noexcept {
  auto& [state, next_idle, bytes, lease] = slabs_[slab];
  const auto& [from, samples_from] = homes[index_of(state)];
  const auto& [into, samples_into] = homes[index_of(to)];
  const auto samples = open_.entry(slab).rows - open_.entry(slab).lost;
  if (samples_from) samples_.*samples_from -= samples;
  if (const auto count = end ? end : samples_into) samples_.*count += samples;
  if (to == SlabState::absent)
    ledger_->uncharge(share_, from, bytes);
  else if (state != SlabState::absent)
    ledger_->move(share_, from, into, bytes);
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

// ---- the life of a batch ---------------------------------------------------------------------

void Book::begin_stream(std::shared_ptr<Wakeable> waker) noexcept {
  Posting posting(*this);
  open_.restart();
  // Objects must not be freed under the leaf mutex, so the old waker is freed after the posting.
  share_.waker.swap(waker);
  cancelled_ = false;
  stop_ = no_row;
  slots_awaited_ = true;
  lease_awaited_ = false;
}

void Book::open_batch(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept {
  Posting posting(*this);
  open_.open(slab, sequence, rows);
  slab_found(posting);
  samples_.drawn += rows;
  become(slab, SlabState::filling);
}

bool Book::finish_rows(const EndedRows& rows) noexcept {
  Posting posting(*this);
  const auto count = rows.count;
  for (std::uint32_t i = 0; i < count; ++i) open_.finish(rows.slab, rows.first + i);
  auto& entry = open_.entry(rows.slab);
  if (rows.replaced) samples_.replaced += count;
  if (rows.ok) samples_.partners += std::uint64_t{rows.partners} * count;
  if (!rows.ok) {
    entry.lost += count;
    entry.faults += count;
    samples_.failed += count;
    samples_.in_flight -= count;
  }
  posting.freed();
  return entry.unfinished == 0 || stop_ != no_row;
}

void Book::fail_and_redraw(SlabId slab) noexcept {
  Posting posting(*this);
  ++open_.entry(slab).faults;
  ++samples_.failed;
  ++samples_.drawn;
}

void Book::publish_front() noexcept {
  Posting posting(*this);
  become(open_.front(), SlabState::ready);
  open_.close_front();
}

bool Book::lease(SlabId slab) noexcept {
  Posting posting(*this);
  if (cancelled_) return false;
  become(slab, SlabState::leased);
  slabs_[slab].lease = {open_.entry(slab).sequence, slabs_[slab].bytes, "Batch"};
  if (slots_awaited_) posting.wake();
  return true;
}

void Book::release(SlabId slab, Parting parting, bool gone) noexcept {
  Posting posting(*this);
  slabs_[slab].lease.reset();
  become(slab, gone ? SlabState::absent : SlabState::idle,
         parting == Parting::consumed ? &SampleTally::consumed : &SampleTally::discarded);
  if (gone) posting.freed();
  if (slots_awaited_ || lease_awaited_) posting.wake();
}

void Book::name_holder(SlabId slab, const char* holder) noexcept {
  Lock lock(ledger_->mutex());
  slabs_[slab].lease->holder = holder;
}

void Book::discard_ready(SlabId slab) noexcept {
  Posting posting(*this);
  become(slab, SlabState::idle, &SampleTally::discarded);
  posting.wake();
}

void Book::drop_front() noexcept {
  Posting posting(*this);
  become(open_.front(), SlabState::idle, &SampleTally::dropped);
  open_.close_front();
}

void Book::omit(std::uint64_t samples) noexcept {
  Posting posting(*this);
  samples_.omitted += samples;
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
