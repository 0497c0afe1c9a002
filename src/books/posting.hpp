#pragma once

#include "books/book.hpp"

namespace weir::books {

/// One change of the books. Holds the leaf mutex and counts itself. It wakes others only after it
/// has released the mutex.
class WEIR_SCOPED_CAPABILITY Book::Posting {
 public:
  explicit Posting(Book& book) noexcept WEIR_ACQUIRE(book.ledger_->mutex()) : book_(book) {
    book_.ledger_->mutex().lock();
    book_.ledger_->count_posting();
  }
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;
  ~Posting() WEIR_RELEASE() WEIR_NO_THREAD_SAFETY_ANALYSIS {
    const auto ledger = freed_ && book_.ledger_->anyone_waits() ? book_.ledger_ : nullptr;
    const auto waker = wake_ ? book_.page_.waker : nullptr;
    book_.ledger_->mutex().unlock();
    if (waker) waker->wake();
    if (ledger) ledger->wake_waiting();
  }

  /// Wakes the conductor of this page.
  void wake() noexcept { wake_ = true; }
  /// Bytes were freed, or the waiting order changed: wakes all waiting pages.
  void freed() noexcept { freed_ = true; }

 private:
  Book& book_;
  bool wake_ = false, freed_ = false;
};

}  // namespace weir::books
