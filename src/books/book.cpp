#include "books/book.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "books/posting.hpp"
#include "weir/error.hpp"

namespace weir::books {

std::shared_ptr<Book> Book::open(std::shared_ptr<Ledger> ledger, const Terms& terms) {
  for (;;) {
    try {
      return std::make_shared<Book>(ledger, terms);
    } catch (const Error&) {
      // What a cache holds beyond its page's promise is in nobody's way.
      if (!ledger->give_way(nullptr)) throw;
    }
  }
}

Book::Book(std::shared_ptr<Ledger> ledger, const Terms& terms)
    : ledger_(std::move(ledger)),
      terms_(terms),
      promise_(terms.promise),
      reserve_(terms.reserve),
      footprint_(std::max(terms.promise, terms.reserve)),
      states_(terms.slabs, SlabState::absent),
      slab_bytes_(terms.slabs, terms.slab_bytes),
      holders_(terms.slabs, nullptr),
      stream_of_(terms.slabs, 0),
      open_(terms.slabs, terms.batch),
      slab_asked_(terms.slab_bytes) {
  idle_.reserve(terms.slabs);
  Lock lock(ledger_->mutex_);
  const auto left = sub_floor(ledger_->budget_, ledger_->footprints_);
  if (footprint_ > left) {
    throw Error(Errc::budget_too_small, Stage::wait,
                "memory.ledger: " + std::to_string(footprint_) +
                    " bytes must be promised to this loader, " + std::to_string(left) +
                    " of the budget of " + std::to_string(ledger_->budget_) +
                    " are neither promised to nor used by the others");
  }
  ledger_->footprints_ += footprint_;
  ledger_->promised_ += footprint_;
  ledger_->enlist(*this);
}

Book::~Book() {
  {
    Lock lock(ledger_->mutex_);
    ledger_->footprints_ -= footprint_;
    ledger_->promised_ -= std::max(promise_, reserve_);
    ledger_->strike(*this);
  }
  ledger_->wake_waiting();
}

void Book::retire() noexcept {
  Posting posting(*this);
  ledger_->promised_ -= std::max(promise_, reserve_);
  promise_ = reserve_ = 0;
  refoot();
  posting.freed();
}

Instant Book::snapshot() const {
  Lock lock(ledger_->mutex_);
  return {bytes_.snapshot(ledger_->budget_), samples_, filling_, ready_, leased_};
}

// ---- bytes -----------------------------------------------------------------------------------

void Book::refoot() noexcept {
  const auto footprint = std::max(promise_, general_ + reserve_);
  ledger_->footprints_ += footprint - footprint_;  // unsigned wrap-around cancels out
  footprint_ = footprint;
}

bool Book::fits_general(std::uint64_t bytes) const noexcept {
  const auto wanted = add_sat(add_sat(general_, bytes), reserve_);
  if (wanted <= footprint_) return true;
  if (ledger_->must_yield(*this)) return false;
  return wanted - footprint_ <= ledger_->budget_ - ledger_->footprints_;
}

std::uint64_t Book::missing(std::uint64_t bytes) const noexcept {
  const auto wanted = add_sat(add_sat(general_, bytes), reserve_);
  if (ledger_->must_yield(*this)) return sub_floor(wanted, promise_);
  return sub_floor(wanted, ledger_->budget_ - (ledger_->footprints_ - footprint_));
}

void Book::charge(Account account, std::uint64_t bytes, bool reserve) noexcept {
  (reserve ? reserve_used_ : general_) += bytes;
  bytes_.add(account, bytes);
  ledger_->add(account, bytes);
  if (!reserve) refoot();
}

void Book::uncharge(Account account, std::uint64_t bytes, bool reserve) noexcept {
  (reserve ? reserve_used_ : general_) -= bytes;
  bytes_.remove(account, bytes);
  ledger_->remove(account, bytes);
  if (!reserve) refoot();
}

void Book::shift(Account from, Account to, std::uint64_t bytes) noexcept {
  bytes_.move(from, to, bytes);
  ledger_->move(from, to, bytes);
}

void Book::note_waiting(Posting& posting) noexcept {
  const bool waiting = !waiters_.empty() || wants_slab_;
  if (waiting == (asked_ != 0)) return;
  if (waiting) {
    asked_ = ++ledger_->asked_;
    ++ledger_->waiting_;
  } else {
    asked_ = 0;
    --ledger_->waiting_;
    posting.freed();  // the turn of those who asked later, if not bytes
  }
  wanted_.store(waiting, std::memory_order_relaxed);
}

bool Book::try_charge(Account account, std::uint64_t bytes) noexcept {
  for (;;) {
    {
      Posting posting(*this);
      if (fits_general(bytes)) {
        charge(account, bytes, false);
        return true;
      }
      if (missing(bytes) > ledger_->givable(*this)) return false;
    }
    if (!ledger_->give_way(this)) return false;
  }
}

void Book::discharge(Account account, const Admitted& bytes) noexcept {
  if (bytes.bytes == 0) return;
  Posting posting(*this);
  uncharge(account, bytes.bytes, bytes.reserve);
  posting.freed();
}

void Book::transfer(Account from, Account to, std::uint64_t bytes) noexcept {
  Posting posting(*this);
  shift(from, to, bytes);
}

bool Book::encoded_capped(RowKey row, Account account, std::uint64_t bytes) const noexcept {
  return account == Account::encoded && row != open_.oldest() &&
         add_sat(bytes_[Account::encoded], bytes) > terms_.encoded_cap;
}

std::optional<Admitted> Book::admit(RowKey row, Account account, std::uint64_t bytes,
                                    Waiter* waiter) noexcept {
  Posting posting(*this);
  const bool oldest = row == open_.oldest();
  const bool turn = oldest || waiters_.empty() || row < waiters_.oldest()->row;
  if (turn && !encoded_capped(row, account, bytes) && fits_general(bytes)) {
    charge(account, bytes, false);
    return Admitted{bytes, false};
  }
  if (oldest && add_sat(reserve_used_, bytes) <= reserve_) {
    charge(account, bytes, true);
    return Admitted{bytes, true};
  }
  if (waiter) {
    waiter->row = row;
    waiter->account = account;
    waiter->bytes = bytes;
    waiter->parked = false;
    waiters_.insert(*waiter);
    note_waiting(posting);
  }
  return std::nullopt;
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
  const bool oldest = waiter->row == open_.oldest();
  if (!encoded_capped(waiter->row, waiter->account, waiter->bytes) && fits_general(waiter->bytes)) {
    waiter->granted = {waiter->bytes, false};
  } else if (oldest && add_sat(reserve_used_, waiter->bytes) <= reserve_) {
    waiter->granted = {waiter->bytes, true};
  } else {
    return nullptr;
  }
  charge(waiter->account, waiter->bytes, waiter->granted.reserve);
  waiters_.pop();
  note_waiting(posting);
  return waiter;
}

// ---- a cache ---------------------------------------------------------------------------------

bool Book::try_charge_cache(std::uint64_t bytes, std::uint64_t cap) noexcept {
  Posting posting(*this);
  if (ledger_->anyone_waits() || add_sat(cached_, bytes) > cap || !fits_general(bytes))
    return false;
  charge(Account::cache, bytes, false);
  cached_ += bytes;
  return true;
}

void Book::discharge_cache(std::uint64_t bytes) noexcept {
  Posting posting(*this);
  uncharge(Account::cache, bytes, false);
  cached_ -= bytes;
  posting.freed();
}

bool Book::sample_waits() const noexcept {
  Lock lock(ledger_->mutex_);
  return !waiters_.empty();
}

bool Book::beyond_promise() const noexcept {
  Lock lock(ledger_->mutex_);
  return footprint_ > promise_;
}

std::uint64_t Book::missing_of_caches(std::uint64_t bytes) const noexcept {
  // Who has to yield to another page is helped by no other cache than its own.
  return cached_ == 0 && ledger_->must_yield(*this) ? 0 : missing(bytes);
}

std::uint64_t Book::short_of(RowKey row, Account account, std::uint64_t bytes) const noexcept {
  Lock lock(ledger_->mutex_);
  const bool turn = row == open_.oldest() || waiters_.empty() || row < waiters_.oldest()->row;
  return turn && !encoded_capped(row, account, bytes) ? missing_of_caches(bytes) : 0;
}

std::uint64_t Book::short_of_waiting() const noexcept {
  Lock lock(ledger_->mutex_);
  if (cancelled_) return 0;
  const auto* const waiter = waiters_.oldest();
  if (!waiter) return wants_slab_ ? missing_of_caches(slab_asked_) : 0;
  // One that its worker has not let go of is looked at again when it has.
  if (!waiter->parked || encoded_capped(waiter->row, waiter->account, waiter->bytes)) return 0;
  return missing_of_caches(waiter->bytes);
}

bool Book::make_room(RowKey row, Account account, std::uint64_t bytes) noexcept {
  bool any = false;
  while (short_of(row, account, bytes) > 0 && ledger_->give_way(this)) any = true;
  return any;
}

bool Book::make_room() noexcept {
  bool any = false;
  while (short_of_waiting() > 0 && ledger_->give_way(this)) any = true;
  return any;
}

}  // namespace weir::books
