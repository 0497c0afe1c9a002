#include "books/budget.hpp"

#include <utility>

#include "base/checked.hpp"
#include "weir/error.hpp"

namespace weir::books {

Budget::Budget(std::shared_ptr<Ledger> ledger, const ShareLimits& limits)
    : ledger_(std::move(ledger)),
      limits_(limits),
      share_{.promise = limits.promise, .reserve = limits.reserve, .yields = limits.yields},
      slab_requested_(limits.slab_bytes) {
  for (bool evicts = true;; evicts = ledger_->evict(nullptr)) {
    Lock lock(ledger_->mutex());
    if (ledger_->open(share_, evicts)) return;
  }
}

Budget::~Budget() {
  {
    Lock lock(ledger_->mutex());
    ledger_->close(share_);
  }
  ledger_->wake_waiting();
}

// ---- bytes -----------------------------------------------------------------------------------

void Budget::note_waiting(Posting& posting) noexcept {
  const bool waiting = !waiters_.empty() || wants_slab_;
  if (waiting == (share_.ticket != 0)) return;
  ledger_->set_waiting(share_, waiting);
  if (!waiting) posting.freed();  // shares that began to wait later may now be next
  wanted_.store(waiting, std::memory_order_relaxed);
}

bool Budget::try_charge(Account account, std::uint64_t bytes) noexcept {
  do {
    Posting posting(*this);
    if (ledger_->fits(share_, bytes)) {
      ledger_->charge(share_, account, bytes);
      return true;
    }
    if (ledger_->missing(share_, bytes) > ledger_->evictable_bytes(share_)) return false;
  } while (ledger_->evict(this));
  return false;
}

bool Budget::promise(std::uint64_t bytes) noexcept {
  do {
    Posting posting(*this);
    const auto missing = ledger_->promise(share_, bytes);
    if (missing == 0) return true;
    if (missing > ledger_->evictable_bytes(share_)) return false;
  } while (ledger_->evict(this));
  return false;
}

void Budget::take_back(std::uint64_t promised) noexcept {
  if (promised == 0) return;
  Posting posting(*this);
  ledger_->set_promise(share_, share_.promise - promised, share_.reserve);
  posting.freed();
}

void Budget::discharge(Account account, const Admitted& bytes) noexcept {
  if (bytes.bytes == 0) return;
  Posting posting(*this);
  ledger_->uncharge(share_, account, bytes.bytes, bytes.reserve);
  posting.freed();
}

void Budget::transfer(Account from, Account to, std::uint64_t bytes) noexcept {
  Posting posting(*this);
  ledger_->move(share_, from, to, bytes);
}

void Budget::slab_found(Posting& posting) noexcept {
  wants_slab_ = false;
  note_waiting(posting);
}

// ---- bytes of a row --------------------------------------------------------------------------

bool Budget::may_go_first(RowKey row) const noexcept {
  return row == oldest() || waiters_.empty() || row <= waiters_.oldest()->row;
}

bool Budget::capped(const Claim& claim) const noexcept {
  const auto encoded = share_.bytes[Account::encoded];
  const auto working = encoded + share_.bytes[Account::scratch] - share_.reserve_used;
  if (add_sat(working, claim.bytes) > limits_.working_cap) return true;
  return claim.account == Account::encoded && claim.row != oldest() &&
         add_sat(encoded, claim.bytes) > limits_.encoded_cap;
}

std::optional<Admitted> Budget::try_admit(const Claim& claim) noexcept {
  const auto& [row, account, bytes] = claim;
  Admitted admitted{bytes, false};
  if (!may_go_first(row) || capped(claim) || !ledger_->fits(share_, bytes)) {
    admitted.reserve = true;
    if (row != oldest() || add_sat(share_.reserve_used, bytes) > share_.reserve)
      return std::nullopt;
  }
  ledger_->charge(share_, account, bytes, admitted.reserve);
  return admitted;
}

std::optional<Admitted> Budget::admit(const Claim& claim, Waiter* waiter) noexcept {
  Posting posting(*this);
  const auto admitted = try_admit(claim);
  if (!admitted && waiter) add(*waiter, claim, posting);
  return admitted;
}

void Budget::add(Waiter& waiter, const Claim& claim, Posting& posting) noexcept {
  static_cast<Claim&>(waiter) = claim;
  waiter.parked = false;
  waiters_.insert(waiter);
  note_waiting(posting);
}

void Budget::park(Waiter& waiter) noexcept {
  Posting posting(*this);
  waiter.parked = true;
  posting.wake();
}

Waiter* Budget::grant_oldest() noexcept {
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

bool Budget::try_charge_cache(std::uint64_t bytes, std::uint64_t cap) noexcept {
  Posting posting(*this);
  if (ledger_->anyone_waits() || add_sat(share_.cached, bytes) > cap ||
      !ledger_->fits(share_, bytes))
    return false;
  ledger_->charge(share_, Account::cache, bytes);
  share_.cached += bytes;
  return true;
}

void Budget::discharge_cache(std::uint64_t bytes) noexcept {
  Posting posting(*this);
  ledger_->uncharge(share_, Account::cache, bytes);
  share_.cached -= bytes;
  posting.freed();
}

std::uint64_t Budget::shortage(const std::optional<Claim>& claim) const noexcept {
  if (claim) {
    const bool helped = may_go_first(claim->row) && !capped(*claim);
    return helped ? ledger_->missing_of_caches(share_, claim->bytes) : 0;
  }
  if (cancelled_) return 0;
  // If the worker still holds the sample, the waiter is checked again when it parks.
  if (const auto* const waiter = waiters_.oldest()) return waiter->parked ? shortage(*waiter) : 0;
  return wants_slab_ ? ledger_->missing_of_caches(share_, slab_requested_) : 0;
}

bool Budget::make_room(const std::optional<Claim>& claim) noexcept {
  for (bool any = false;; any = true) {
    {
      Lock lock(ledger_->mutex());
      if (shortage(claim) == 0) return any;
    }
    if (!ledger_->evict(this)) return any;
  }
}

// ---- a stream --------------------------------------------------------------------------------

void Budget::end_stream() noexcept {
  // Objects must not be freed under the leaf mutex, so the waker is freed after the posting.
  std::shared_ptr<Wakeable> waker;
  Posting posting(*this);
  waiters_.clear();
  slab_found(posting);
  waker.swap(share_.waker);
  posting.freed();
}

void Budget::cancel() noexcept {
  Posting posting(*this);
  cancelled_ = true;
  posting.wake();
}

void Budget::wake() noexcept {
  Posting posting(*this);
  posting.wake();
}

}  // namespace weir::books
