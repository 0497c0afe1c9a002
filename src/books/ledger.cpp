#include "books/ledger.hpp"

#include <algorithm>

#include "books/book.hpp"
#include "books/peak_watch.hpp"

namespace weir::books {

MemorySnapshot Ledger::snapshot() const {
  Lock lock(mutex_);
  return total_.snapshot(budget_);
}

std::vector<HeldLease> Ledger::leases() const {
  // Nothing is allocated under the leaf mutex: once more where there was not room for all.
  for (std::vector<HeldLease> held;; held.clear()) {
    std::size_t number = 0;
    {
      Lock lock(mutex_);
      for (const Book* book = books_; book; book = book->next_) number += book->leased_;
      if (number <= held.capacity()) {
        for (const Book* book = books_; book; book = book->next_) book->list_leases(held);
        return held;
      }
    }
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
  for (Book* book = books_; book; book = book->next_) book->bytes_.reset_peak();
}

void Ledger::show_watches(Account account) noexcept {
  for (auto* watch = watches_; watch; watch = watch->next_) watch->look(total_, account);
}

void Ledger::enlist(Book& book) noexcept {
  book.next_ = books_;
  books_ = &book;
}

void Ledger::strike(Book& book) noexcept {
  Book** link = &books_;
  while (*link != &book) link = &(*link)->next_;
  *link = book.next_;
  if (book.asked_) --waiting_;
}

bool Ledger::must_yield(const Book& book) const noexcept {
  if (waiting_ == 0 || (waiting_ == 1 && book.asked_)) return false;
  for (const Book* other = books_; other; other = other->next_) {
    if (other != &book && other->asked_ && (!book.asked_ || other->asked_ < book.asked_))
      return true;
  }
  return false;
}

std::uint64_t Ledger::givable(const Book& book) const noexcept {
  std::uint64_t bytes = book.cached_;
  if (must_yield(book)) return bytes;
  for (const Book* other = books_; other; other = other->next_) {
    if (other != &book) bytes += std::min(other->cached_, other->footprint_ - other->promise_);
  }
  return bytes;
}

bool Ledger::give_way(const Book* page) noexcept {
  Lock lock(givers_mutex_);
  for (auto* giver = givers_; giver; giver = giver->next_)
    if (&giver->page_ == page && giver->give_way()) return true;
  for (auto* giver = givers_; giver; giver = giver->next_)
    if (&giver->page_ != page && giver->page_.beyond_promise() && giver->give_way()) return true;
  return false;
}

void Giver::enlist() noexcept {
  Lock lock(ledger_.givers_mutex_);
  next_ = ledger_.givers_;
  ledger_.givers_ = this;
}

void Giver::strike() noexcept {
  Lock lock(ledger_.givers_mutex_);
  Giver** link = &ledger_.givers_;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

void Giver::offer() noexcept {
  if (ledger_.seen_waiting()) ledger_.wake_waiting();
}

void Ledger::wake_waiting() noexcept {
  // One at a time in the order of asking: a snapshot of all of them would have to allocate.
  for (std::uint64_t after = 0;;) {
    std::shared_ptr<Wakeable> waker;
    {
      Lock lock(mutex_);
      const Book* next = nullptr;
      for (const Book* book = books_; book; book = book->next_) {
        if (book->asked_ > after && (!next || book->asked_ < next->asked_)) next = book;
      }
      if (!next) return;
      after = next->asked_;
      waker = next->waker_;
    }
    if (waker) waker->wake();
  }
}

}  // namespace weir::books
