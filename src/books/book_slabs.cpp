// The part of Book that adds and removes slabs.
#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "books/book.hpp"

namespace weir::books {

std::uint32_t Book::records_due() const noexcept {
  // A slab that was removed leaves its records to the next one.
  if (batches(SlabState::absent) > 0) return 0;
  const auto needed = slabs_.next_capacity();
  return needed - std::min(needed, records_charged_);
}

bool Book::try_charge_slab(std::uint64_t bytes) noexcept {
  Posting posting(*this);
  const auto records = records_due();
  const auto record_bytes = mul_sat(records, limits_.record_bytes);
  slab_requested_ = add_sat(bytes, record_bytes);
  wants_slab_ = !waiters_.empty() || !ledger_->fits(share_, slab_requested_);
  if (!wants_slab_) {
    ledger_->charge(share_, Account::idle, bytes);
    if (records > 0) ledger_->charge(share_, Account::index, record_bytes);
    records_charged_ += records;
  }
  note_waiting(posting);
  return !wants_slab_;
}

void Book::reserve_slab(SlabId slab) {
  for (;;) {
    std::uint32_t more = 0;
    {
      Lock lock(ledger_->mutex());
      if (slab < slabs_.capacity()) return;
      more = slabs_.next_capacity() - slabs_.capacity();
    }
    // Nothing may be allocated under the leaf mutex. Only the conductor changes the tables.
    Grown<SlabRecord>::Piece records(more);
    auto entries = OpenBatches::piece(more, limits_.batch);
    Lock lock(ledger_->mutex());
    slabs_.add(std::move(records));
    open_.add(std::move(entries));
    in_state_[static_cast<std::size_t>(SlabState::absent)] += more;
  }
}

void Book::add_slab(SlabId slab, std::uint64_t bytes) {
  reserve_slab(slab);
  Posting posting(*this);
  slabs_[slab].bytes = bytes;
  set_state(slab, SlabState::idle);
}

std::optional<SlabId> Book::smallest_idle_slab(std::uint64_t least,
                                               std::uint64_t most) const noexcept {
  Lock lock(ledger_->mutex());
  std::optional<SlabId> best;
  for (auto slab = idle_; slab != no_slab; slab = slabs_[slab].next_idle) {
    const auto bytes = slabs_[slab].bytes;
    if (bytes >= least && bytes <= most && (!best || bytes < slabs_[*best].bytes)) best = slab;
  }
  return best;
}

void Book::remove_slab(SlabId slab) noexcept {
  Posting posting(*this);
  set_state(slab, SlabState::absent);
  ledger_->uncharge(share_, Account::idle, slabs_[slab].bytes);
  posting.freed();
}

}  // namespace weir::books
