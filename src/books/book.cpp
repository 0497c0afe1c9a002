#include "books/book.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "books/posting.hpp"
#include "weir/error.hpp"

namespace weir::books {

std::shared_ptr<Book> Book::open(std::shared_ptr<Ledger> ledger, const Terms& terms) {
  return std::make_shared<Book>(std::move(ledger), terms);
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
  Posting posting(*this);
  if (!fits_general(bytes)) return false;
  charge(account, bytes, false);
  return true;
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

std::optional<Admitted> Book::admit(RowKey row, Account account, std::uint64_t bytes,
                                    Waiter* waiter) noexcept {
  Posting posting(*this);
  const bool oldest = row == open_.oldest();
  const bool turn = oldest || waiters_.empty() || row < waiters_.oldest()->row;
  const bool capped = account == Account::encoded && !oldest &&
                      add_sat(bytes_[Account::encoded], bytes) > terms_.encoded_cap;
  if (turn && !capped && fits_general(bytes)) {
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
  const bool capped = waiter->account == Account::encoded && !oldest &&
                      add_sat(bytes_[Account::encoded], waiter->bytes) > terms_.encoded_cap;
  if (!capped && fits_general(waiter->bytes)) {
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

}  // namespace weir::books
