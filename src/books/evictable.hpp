#pragma once

#include "books/budget.hpp"
#include "books/ledger.hpp"

namespace weir::books {

/// An owner of bytes that can be evicted: a cache.
class Evictable {
 public:
  /// `share` must outlive this object.
  explicit Evictable(Budget& share) noexcept : share_(share) {}
  virtual ~Evictable() = default;
  Evictable(const Evictable&) = delete;
  Evictable& operator=(const Evictable&) = delete;

  /// Frees and discharges one piece. Returns false if none can be freed now. Thread-safe.
  virtual bool evict() noexcept = 0;
  const Budget& charged_to() const noexcept { return share_; }

 protected:
  // The class that overrides evict() calls attach() last in its constructor and detach() first in
  // its destructor.
  void attach() { share_.ledger()->attach(*this); }
  void detach() noexcept { share_.ledger()->detach(*this); }
  /// Wakes the waiting shares because a piece became evictable. Call it after the piece became
  /// evictable. A share announces that it waits before it checks the pieces, so one of the two sides
  /// sees the other.
  void offer() noexcept {
    if (share_.ledger()->anyone_waits()) share_.ledger()->wake_waiting();
  }

 private:
  Budget& share_;
};

}  // namespace weir::books
