#pragma once

#include <utility>

#include "books/book.hpp"

namespace weir::books {

/// One change of the books: holds the leaf mutex, counts itself, and calls those it concerns only
/// after it has let go.
class WEIR_SCOPED_CAPABILITY Book::Posting {
 public:
  explicit Posting(Book& book) noexcept WEIR_ACQUIRE(book.ledger_->mutex_) : book_(book) {
    book_.ledger_->mutex_.lock();
    ++book_.ledger_->postings_;
  }
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;
  ~Posting() WEIR_RELEASE() WEIR_NO_THREAD_SAFETY_ANALYSIS {
    const bool freed = freed_ && book_.ledger_->anyone_waits();
    const auto ledger = freed ? book_.ledger_ : nullptr;
    std::shared_ptr<Wakeable> waker;
    if (wake_) waker = book_.waker_;
    book_.ledger_->mutex_.unlock();
    if (waker) waker->wake();
    if (freed) ledger->wake_waiting();
  }

  /// The conductor of this page has something to decide.
  void wake() noexcept { wake_ = true; }
  /// Bytes or a turn came free: whoever waits, on any page, should look again.
  void freed() noexcept { freed_ = true; }

 private:
  Book& book_;
  bool wake_ = false, freed_ = false;
};

}  // namespace weir::books
