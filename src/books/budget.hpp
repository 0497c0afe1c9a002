#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.hpp"
#include "books/ledger.hpp"
#include "books/row_key.hpp"
#include "books/waiters.hpp"

namespace weir::books {

/// The limits of a share, fixed when it is opened.
struct ShareLimits {
  std::uint64_t promise = 0;     ///< bytes that no other share can take
  std::uint64_t reserve = 0;     ///< max_sample_bytes: reserved for the oldest unfinished row
  std::uint64_t slab_bytes = 0;  ///< largest slab if sizes differ
  std::uint64_t encoded_cap = UINT64_MAX;  ///< limit of `encoded`; the oldest row may exceed it
  std::uint32_t slabs = 0, batch = 0;
  bool yields = true;  ///< gives way to shares that wait
  /// Bytes of all records of one slab: here, in the pool and in the stats. They are charged to
  /// `index` when their table grows; those of the first `records` slabs are charged elsewhere.
  std::uint64_t record_bytes = 0;
  std::uint32_t records = 0;
  /// Limit of `encoded` and `scratch` without the reserve, which the oldest row may use beyond it.
  std::uint64_t working_cap = UINT64_MAX;
};

/// One share of a ledger: the bytes charged to it, and the samples that wait for bytes. Thread-safe:
/// each public call is one posting or one read under the ledger's mutex. Only the constructor
/// allocates. Callers must follow these roles: workers admit bytes and park; the conductor grants.
class Budget {
 public:
  /// Caches give way to the promise. Throws Error{budget_too_small} if it does not fit beside the
  /// other shares.
  explicit Budget(std::shared_ptr<Ledger> ledger, const ShareLimits& limits = {});
  virtual ~Budget();
  Budget(const Budget&) = delete;
  Budget& operator=(const Budget&) = delete;

  const ShareLimits& limits() const noexcept { return limits_; }
  const std::shared_ptr<Ledger>& ledger() const noexcept { return ledger_; }

  // -- bytes that belong to no row
  [[nodiscard]] bool try_charge(Account account, std::uint64_t bytes) noexcept;
  void discharge(Account account, const Admitted& bytes) noexcept;
  /// Promises more to the share. Caches give way. False if the budget has no room.
  [[nodiscard]] bool promise(std::uint64_t bytes) noexcept;
  void take_back(std::uint64_t promised) noexcept;
  void transfer(Account from, Account to, std::uint64_t bytes) noexcept;

  // -- bytes of a row
  /// Charges the bytes. If they are refused, `waiter` is added to the waiters in the same posting.
  [[nodiscard]] std::optional<Admitted> admit(const Claim& claim, Waiter* waiter) noexcept;
  /// The worker no longer holds the sample; bytes may be granted to the waiter.
  void park(Waiter& waiter) noexcept;
  /// Charges the oldest waiter and removes it from the list. Null if it must wait longer.
  Waiter* grant_oldest() noexcept;
  /// Whether a sample or a slab waits for bytes, so that unused blocks should be freed. A hint,
  /// read without the lock.
  bool someone_waits() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  bool sample_waits() const noexcept {
    Lock lock(ledger_->mutex());
    return !waiters_.empty();
  }

  // -- a cache, which is evicted when others need its bytes (see Ledger::evict)
  /// Charges `cache`. Refuses if anyone waits, if the general pool has no room, or if the account
  /// would exceed `cap`.
  [[nodiscard]] bool try_charge_cache(std::uint64_t bytes, std::uint64_t cap) noexcept;
  void discharge_cache(std::uint64_t bytes) noexcept;
  /// Evicts from caches until `claim` can be admitted, or nothing more can be evicted. Returns whether
  /// anything was evicted. Call it before the row waits. It evicts nothing if the row is refused for
  /// another reason than bytes. Empty: for the waiting sample or, if there is none, the waiting slab.
  bool make_room(const std::optional<Claim>& claim = {}) noexcept;
  /// Whether other shares can use the bytes that this share frees.
  bool beyond_promise() const noexcept {
    Lock lock(ledger_->mutex());
    return share_.reserved > share_.promise;
  }

  // -- a stream, which the share's conductor runs
  /// Removes all waiters and the waker. No batch may be open.
  void end_stream() noexcept;
  /// Nothing is granted any more.
  void cancel() noexcept;
  /// Wakes the stream's conductor after a change outside the books.
  void wake() noexcept;

 protected:
  /// One change of the books. Holds the leaf mutex and counts itself. It wakes others only after it
  /// has released the mutex.
  class WEIR_SCOPED_CAPABILITY Posting {
   public:
    explicit Posting(Budget& budget) noexcept WEIR_ACQUIRE(budget.ledger_->mutex())
        : budget_(budget) {
      budget_.ledger_->mutex().lock();
      budget_.ledger_->count_posting();
    }
    Posting(const Posting&) = delete;
    Posting& operator=(const Posting&) = delete;
    ~Posting() WEIR_RELEASE() WEIR_NO_THREAD_SAFETY_ANALYSIS {
      const auto ledger = freed_ && budget_.ledger_->anyone_waits() ? budget_.ledger_ : nullptr;
      const auto waker = wake_ ? budget_.share_.waker : nullptr;
      budget_.ledger_->mutex().unlock();
      if (waker) waker->wake();
      if (ledger) ledger->wake_waiting();
    }

    /// Wakes the conductor of this share.
    void wake() noexcept { wake_ = true; }
    /// Bytes were freed, or the waiting order changed: wakes all waiting shares.
    void freed() noexcept { freed_ = true; }

   private:
    Budget& budget_;
    bool wake_ = false, freed_ = false;
  };

  /// The oldest unfinished row, which alone may use the reserve.
  virtual RowKey oldest() const noexcept WEIR_REQUIRES(ledger_->mutex()) { return {}; }
  /// The batch has its slab.
  void slab_found(Posting& posting) noexcept WEIR_REQUIRES(ledger_->mutex());
  /// After a change of waiters_ or wants_slab_.
  void note_waiting(Posting& posting) noexcept WEIR_REQUIRES(ledger_->mutex());

  const std::shared_ptr<Ledger> ledger_;
  const ShareLimits limits_;
  Share share_ WEIR_GUARDED_BY(ledger_->mutex());
  std::uint64_t slab_requested_ WEIR_GUARDED_BY(ledger_->mutex());  ///< bytes
  bool cancelled_ WEIR_GUARDED_BY(ledger_->mutex()) = false;
  Waiters waiters_ WEIR_GUARDED_BY(ledger_->mutex());
  bool wants_slab_ WEIR_GUARDED_BY(ledger_->mutex()) = false;

 private:
  bool may_go_first(RowKey row) const noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Whether a limit of the share refuses the claim, whatever the ledger has.
  bool capped(const Claim& claim) const noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Charges a pool that has room. Only the oldest row may use the reserve.
  std::optional<Admitted> try_admit(const Claim& claim) noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Bytes that caches must free for this claim. Empty: as for make_room().
  std::uint64_t shortage(const std::optional<Claim>& claim) const noexcept
      WEIR_REQUIRES(ledger_->mutex());
  /// The claim waits.
  void add(Waiter& waiter, const Claim& claim, Posting& posting) noexcept
      WEIR_REQUIRES(ledger_->mutex());

  std::atomic<bool> wanted_{false};  ///< value of someone_waits()
};

/// Charges one share. Empty if refused, as for MemoryLedger::try_charge.
[[nodiscard]] std::optional<Charge> charge(std::shared_ptr<Budget> share, Account account,
                                           std::uint64_t bytes);

}  // namespace weir::books
