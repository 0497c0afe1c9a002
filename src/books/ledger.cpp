#include "books/ledger.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "books/book.hpp"

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
      for (const Page* page = pages_; page; page = page->next)
        for (std::uint32_t slab = 0; page->slabs && slab < page->slabs->capacity(); ++slab)
          if (const auto& lease = (*page->slabs)[slab].lease; lease && ++number <= held.capacity())
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
  for (Page* page = pages_; page; page = page->next) page->bytes.reset_peak();
}

// ---- pages -----------------------------------------------------------------------------------

void Ledger::open(Page& page) {
  page.reserved = std::max(page.promise, page.reserve);
  const auto left = sub_floor(budget_, reserved_);
  if (page.reserved > left) {
    throw_error(Errc::budget_too_small, Stage::wait, "memory.ledger: ", page.reserved,
                " bytes must be promised to this loader, ", left, " of the budget of ", budget_,
                " are neither promised to nor used by the others");
  }
  reserved_ += page.reserved;
  promised_ += page.reserved;
  page.next = pages_;
  pages_ = &page;
}

void Ledger::close(const Page& page) noexcept {
  reserved_ -= page.reserved;
  promised_ -= std::max(page.promise, page.reserve);
  Page** link = &pages_;
  while (*link != &page) link = &(*link)->next;
  *link = page.next;
  if (page.ticket) --waiting_;
}

void Ledger::retire(Page& page) noexcept {
  promised_ -= std::max(page.promise, page.reserve);
  page.promise = page.reserve = 0;
  update_reserved(page);
}

void Ledger::update_reserved(Page& page) noexcept {
  const auto reserved = std::max(page.promise, page.general + page.reserve);
  reserved_ += reserved - page.reserved;  // unsigned wrap-around cancels out
  page.reserved = reserved;
}

bool Ledger::fits(const Page& page, std::uint64_t bytes) const noexcept {
  const auto wanted = add_sat(add_sat(page.general, bytes), page.reserve);
  if (wanted == unlimited) return false;  // the sum may have wrapped
  if (wanted <= page.reserved) return true;
  if (must_yield(page)) return false;
  return wanted - page.reserved <= budget_ - reserved_;
}

std::uint64_t Ledger::missing(const Page& page, std::uint64_t bytes) const noexcept {
  const auto wanted = add_sat(add_sat(page.general, bytes), page.reserve);
  if (must_yield(page)) return sub_floor(wanted, page.promise);
  return sub_floor(wanted, budget_ - (reserved_ - page.reserved));
}

std::uint64_t Ledger::missing_of_caches(const Page& page, std::uint64_t bytes) const noexcept {
  return page.cached == 0 && must_yield(page) ? 0 : missing(page, bytes);
}

std::uint64_t Ledger::evictable_bytes(const Page& page) const noexcept {
  std::uint64_t bytes = page.cached;
  if (must_yield(page)) return bytes;
  for (const Page* other = pages_; other; other = other->next)
    if (other != &page) bytes += std::min(other->cached, other->reserved - other->promise);
  return bytes;
}

void Ledger::charge(Page& page, Account account, std::uint64_t bytes, bool reserve) noexcept {
  (reserve ? page.reserve_used : page.general) += bytes;
  page.bytes.add(part(account), bytes);
  total_.add(part(account), bytes);
  if (!reserve) update_reserved(page);
}

void Ledger::uncharge(Page& page, Account account, std::uint64_t bytes, bool reserve) noexcept {
  (reserve ? page.reserve_used : page.general) -= bytes;
  page.bytes.remove(part(account), bytes);
  total_.remove(part(account), bytes);
  if (!reserve) update_reserved(page);
}

void Ledger::move(Page& page, Account from, Account to, std::uint64_t bytes) noexcept {
  page.bytes.move(part(from), part(to), bytes);
  total_.move(part(from), part(to), bytes);
}

// ---- who waits -------------------------------------------------------------------------------

void Ledger::set_waiting(Page& page, bool waiting) noexcept {
  page.ticket = waiting ? ++last_ticket_ : 0;
  waiting_ += waiting ? 1 : -1u;
}

bool Ledger::must_yield(const Page& page) const noexcept {
  if (waiting_ == 0 || (waiting_ == 1 && page.ticket)) return false;
  for (const Page* other = pages_; other; other = other->next)
    if (other != &page && other->ticket && (!page.ticket || other->ticket < page.ticket))
      return true;
  return false;
}

void Ledger::wake_waiting() noexcept {
  // One page at a time, in ticket order. A copy of the list would have to allocate.
  for (std::uint64_t after = 0;;) {
    std::shared_ptr<Wakeable> waker;
    {
      Lock lock(mutex_);
      const Page* next = nullptr;
      for (const Page* page = pages_; page; page = page->next)
        if (page->ticket > after && (!next || page->ticket < next->ticket)) next = page;
      if (!next) return;
      after = next->ticket;
      waker = next->waker;
    }
    if (waker) waker->wake();
  }
}

// ---- caches ----------------------------------------------------------------------------------

bool Ledger::evict(const Book* page) noexcept {
  Lock lock(evictables_mutex_);
  for (auto* cache : evictables_)
    if (&cache->charged_to() == page && cache->evict()) return true;
  for (auto* cache : evictables_)
    if (&cache->charged_to() != page && cache->charged_to().beyond_promise() && cache->evict())
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
