#pragma once

#include <cstdint>

#include "books/row_key.hpp"
#include "weir/ledger.hpp"

namespace weir::books {

/// Bytes admitted for one row: the account, the number, and whether they came from the reserve.
struct Admitted {
  std::uint64_t bytes = 0;
  bool reserve = false;
};

/// Bytes requested for a row.
struct Claim {
  RowKey row{};
  Account account = Account::encoded;
  std::uint64_t bytes = 0;
};

/// A sample whose bytes were refused. Its owner provides the memory. Linked and unlinked under the
/// leaf mutex.
struct Waiter : Claim {
  bool parked = false;  ///< its worker no longer holds it; bytes may be granted
  Admitted granted{};
  Waiter* next = nullptr;
};

/// Refused samples of one loader, oldest first. An intrusive list, so waiting never allocates.
class Waiters {
 public:
  void insert(Waiter& waiter) noexcept {
    Waiter** link = &head_;
    while (*link && (*link)->row < waiter.row) link = &(*link)->next;
    waiter.next = *link;
    *link = &waiter;
  }
  Waiter* oldest() const noexcept { return head_; }
  void pop() noexcept { head_ = head_->next; }
  bool empty() const noexcept { return head_ == nullptr; }
  void clear() noexcept { head_ = nullptr; }

 private:
  Waiter* head_ = nullptr;
};

}  // namespace weir::books
