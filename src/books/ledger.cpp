#include "books/ledger.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "books/evictable.hpp"

namespace weir::books {
namespace {

constexpr auto part(Account account) { return static_cast<std::size_t>(account); }

}  // namespace

MemorySnapshot Ledger::snapshot() const {
  Lock lock(mutex_);
  return total_.snapshot(budget_);
}

std::vector<HeldLease> Ledger::leases() const {
  // Nothing may be allocated under the leaf mutex. If there was not enough room, allocate and try
  // again.
  for (std::vector<HeldLease> held;; held.clear()) {
    std::size_t number = 0;
    {
      Lock lock(mutex_);
      for (const Share* share = shares_; share; share = share->next)
        for (std::uint32_t slab = 0; share->slabs && slab < share->slabs->capacity(); ++slab)
          if (const auto& lease = (*share->slabs)[slab].lease; lease && ++number <= held.capacity())
            held.push_back(*lease);
    }
    if (number == held.size()) return held;
    held.reserve(number);
  }
}

std::uint64_t Ledger::promised() const {
  Lock lock(mutex_);
  return promised_;
}

std::uint64_t Ledger::postings() const {
  Lock lock(mutex_);
  return postings_;
}

void Ledger::reset_peak() noexcept {
  Lock lock(mutex_);
  total_.reset_peak();
  for (Share* share = shares_; share; share = share->next) share->bytes.reset_peak();
}

// ---- shares -----------------------------------------------------------------------------------

bool Ledger::open(Share& share, bool evicts) {
  share.reserved = std::max(share.promise, share.reserve);
  const auto left = sub_floor(budget_, reserved_);
  if (share.reserved > left) {
    if (evicts && share.reserved - left <= cached_by_others(share)) return false;
    throw_error(Errc::budget_too_small, Stage::wait, "`memory.ledger`: ", share.reserved,
                " bytes must be promised to this loader, ", left, " of the budget of ", budget_,
                " are neither promised to nor used by the others");
  }
  reserved_ += share.reserved;
  promised_ += share.reserved;
  share.next = shares_;
  shares_ = &share;
  return true;
}

void Ledger::close(const Share& share) noexcept {
  reserved_ -= share.reserved;
  promised_ -= std::max(share.promise, share.reserve);
  Share** link = &shares_;
  while (*link != &share) link = &(*link)->next;
  *link = share.next;
  if (share.ticket) --waiting_;
}

std::uint64_t Ledger::promise(Share& share, std::uint64_t bytes) noexcept {
  const auto promise = add_sat(share.promise, bytes);
  const auto more = sub_floor(std::max(promise, share.general + share.reserve), share.reserved);
  if (more > budget_ - reserved_) return more - (budget_ - reserved_);
  set_promise(share, promise, share.reserve);
  return 0;
}

void Ledger::set_promise(Share& share, std::uint64_t promise, std::uint64_t reserve) noexcept {
  promised_ += std::max(promise, reserve) - std::max(share.promise, share.reserve);
  share.promise = promise;
  share.reserve = reserve;
  update_reserved(share);
}

void Ledger::update_reserved(Share& share) noexcept {
  const auto reserved = std::max(share.promise, share.general + share.reserve);
  reserved_ += reserved - share.reserved;  // unsigned wrap-around cancels out
  share.reserved = reserved;
}

bool Ledger::fits(const Share& share, std::uint64_t bytes) const noexcept {
  const auto wanted = add_sat(add_sat(share.general, bytes), share.reserve);
  if (wanted == unlimited) return false;  // the sum may have wrapped
  if (wanted <= share.reserved) return true;
  if (must_yield(share)) return false;
  return wanted - share.reserved <= budget_ - reserved_;
}

std::uint64_t Ledger::missing(const Share& share, std::uint64_t bytes) const noexcept {
  const auto wanted = add_sat(add_sat(share.general, bytes), share.reserve);
  if (must_yield(share)) return sub_floor(wanted, share.promise);
  return sub_floor(wanted, budget_ - (reserved_ - share.reserved));
}

std::uint64_t Ledger::missing_of_caches(const Share& share, std::uint64_t bytes) const noexcept {
  return share.cached == 0 && must_yield(share) ? 0 : missing(share, bytes);
}

std::uint64_t Ledger::evictable_bytes(const Share& share) const noexcept {
  return share.cached + (must_yield(share) ? 0 : cached_by_others(share));
}

std::uint64_t Ledger::cached_by_others(const Share& share) const noexcept {
  std::uint64_t bytes = 0;
  for (const Share* other = shares_; other; other = other->next)
    if (other != &share) bytes += std::min(other->cached, other->reserved - other->promise);
  return bytes;
}

void Ledger::charge(Share& share, Account account, std::uint64_t bytes, bool reserve) noexcept {
  (reserve ? share.reserve_used : share.general) += bytes;
  share.bytes.add(part(account), bytes);
  total_.add(part(account), bytes);
  if (!reserve) update_reserved(share);
}

void Ledger::uncharge(Share& share, Account account, std::uint64_t bytes, bool reserve) noexcept {
  (reserve ? share.reserve_used : share.general) -= bytes;
  share.bytes.remove(part(account), bytes);
  total_.remove(part(account), bytes);
  if (!reserve) update_reserved(share);
}

void Ledger::move(Share& share, Account from, Account to, std::uint64_t bytes) noexcept {
  share.bytes.move(part(from), part(to), bytes);
  total_.move(part(from), part(to), bytes);
}

// ---- who waits -------------------------------------------------------------------------------

void Ledger::set_waiting(Share& share, bool waiting) noexcept {
  share.ticket = waiting ? ++last_ticket_ : 0;
  waiting_ += waiting ? 1 : -1u;
}

bool Ledger::must_yield(const Share& share) const noexcept {
  if (!share.yields || waiting_ == 0 || (waiting_ == 1 && share.ticket)) return false;
  for (const Share* other = shares_; other; other = other->next)
    if (other != &share && other->ticket && (!share.ticket || other->ticket < share.ticket))
      return true;
  return false;
}

void Ledger::wake_waiting() noexcept {
  // One share at a time, in ticket order. A copy of the list would have to allocate.
  for (std::uint64_t after = 0;;) {
    std::shared_ptr<Wakeable> waker;
    {
      Lock lock(mutex_);
      const Share* next = nullptr;
      for (const Share* share = shares_; share; share = share->next)
        if (share->ticket > after && (!next || share->ticket < next->ticket)) next = share;
      if (!next) return;
      after = next->ticket;
      waker = next->waker;
    }
    if (waker) waker->wake();
  }
}

// ---- caches ----------------------------------------------------------------------------------

bool Ledger::evict(const Budget* share) noexcept {
  Lock lock(evictables_mutex_);
  for (auto* cache : evictables_)
    if (&cache->charged_to() == share && cache->evict()) return true;
  for (auto* cache : evictables_)
    if (&cache->charged_to() != share && cache->charged_to().beyond_promise() && cache->evict())
      return true;
  return false;
}

void Ledger::attach(Evictable& cache) {
  Lock lock(evictables_mutex_);
  evictables_.insert(evictables_.begin(), &cache);
}

void Ledger::detach(const Evictable& cache) noexcept {
  Lock lock(evictables_mutex_);
  evictables_.erase(std::ranges::find(evictables_, &cache));
}

}  // namespace weir::books
