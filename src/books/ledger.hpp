#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/grown.hpp"
#include "base/machine/process_id.hpp"
#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "books/account_counts.hpp"
#include "books/row_key.hpp"

namespace weir::books {

class Budget;
class Evictable;

enum class SlabState : std::uint8_t { absent, idle, filling, ready, leased };
inline constexpr std::size_t slab_states = 5;

/// What a share records about one slab.
struct SlabRecord {
  SlabState state = SlabState::absent;
  SlabId next_idle = no_slab;  ///< only if idle
  std::uint64_t bytes = 0;     ///< valid unless the slab is absent
  std::optional<HeldLease> lease{};
};

/// One loader's bytes in its ledger. Guarded by the ledger's mutex.
struct Share {
  std::uint64_t promise = 0;  ///< bytes that no other share can take
  std::uint64_t reserve = 0;  ///< bytes reserved for the oldest unfinished row
  /// max(promise, general + reserve): bytes that no other share can have now.
  std::uint64_t reserved = 0;
  std::uint64_t general = 0, reserve_used = 0;  ///< bytes charged, by pool
  std::uint64_t cached = 0;  ///< part of `general` that the share's cache could free
  AccountCounts bytes{};
  std::uint64_t ticket = 0;  ///< order in which shares began to wait; 0: not waiting
  bool yields = true;        ///< to shares that have waited for longer
  std::shared_ptr<Wakeable> waker{};
  const Grown<SlabRecord>* slabs = nullptr;
  Share* next = nullptr;  ///< next in Ledger::shares_
};

/// The budget of several loaders. Thread-safe. It owns the one leaf mutex that guards all bytes
/// and samples of its shares.
class Ledger {
 public:
  explicit Ledger(std::uint64_t budget) noexcept : budget_(budget) {}

  std::uint64_t budget() const noexcept { return budget_; }
  /// Whether this process is a child of fork() and a loader of the parent used the ledger then. So
  /// the mutex may be locked for ever.
  bool left_in_parent() const noexcept {
    const auto user = user_.load();
    return user != 0 && user != process_id();
  }
  MemorySnapshot snapshot() const;
  std::vector<HeldLease> leases() const;
  std::uint64_t promised() const;
  std::uint64_t postings() const;
  void reset_peak() noexcept;

  /// Evicts one piece of a cache: of `share` first, else of a share that uses more than its promise.
  /// The bytes of other shares would not help. `share` null: for a share that is being opened.
  /// Returns false if nothing can be evicted.
  bool evict(const Budget* share) noexcept WEIR_EXCLUDES(evictables_mutex_);
  void attach(Evictable& cache) WEIR_EXCLUDES(evictables_mutex_);
  /// After this call nobody calls the cache, and no call is running.
  void detach(const Evictable& cache) noexcept WEIR_EXCLUDES(evictables_mutex_);
  /// Whether any share waits for bytes. Without the mutex, the read is sequentially consistent with
  /// the start of the wait and with earlier writes of the caller.
  bool anyone_waits() const noexcept { return waiting_.load() > 0; }
  /// Wakes every share that waits for bytes. It does not allocate and calls no waker under the
  /// mutex.
  void wake_waiting() noexcept;

  // -- for callers that hold the mutex: a Budget for its share, a PeakWatch
  Mutex& mutex() const noexcept WEIR_RETURN_CAPABILITY(mutex_) { return mutex_; }
  using Parts = AccountBytes;
  AccountCounts& bytes() noexcept WEIR_REQUIRES(mutex_) { return total_; }
  static std::string name(std::size_t account) {
    return std::string(to_string(static_cast<Account>(account)));
  }

  /// False if the promise of `share` does not fit before caches evict what is above the promises of
  /// their shares. Throws Error{budget_too_small} if it does not fit then either, or not `evicts`.
  bool open(Share& share, bool evicts) WEIR_REQUIRES(mutex_);
  void close(const Share& share) noexcept WEIR_REQUIRES(mutex_);
  void count_posting() noexcept WEIR_REQUIRES(mutex_) { ++postings_; }
  /// One more loader uses the ledger, or one less.
  void count_loader(int by) noexcept WEIR_REQUIRES(mutex_) {
    loaders_ += by;
    user_.store(loaders_ > 0 ? process_id() : 0);
  }

  /// Promises `bytes` more to `share`. Returns the bytes that the budget lacks for that; then nothing
  /// has changed.
  std::uint64_t promise(Share& share, std::uint64_t bytes) noexcept WEIR_REQUIRES(mutex_);
  /// Charged bytes stay charged.
  void set_promise(Share& share, std::uint64_t promise, std::uint64_t reserve) noexcept
      WEIR_REQUIRES(mutex_);
  /// Whether the general pool of `share` has room for `bytes` more.
  bool fits(const Share& share, std::uint64_t bytes) const noexcept WEIR_REQUIRES(mutex_);
  /// Bytes that the general pool lacks for `bytes` more.
  std::uint64_t missing(const Share& share, std::uint64_t bytes) const noexcept
      WEIR_REQUIRES(mutex_);
  /// The same, but 0 if evicting cannot help. A share that must yield can only evict from its own
  /// cache.
  std::uint64_t missing_of_caches(const Share& share, std::uint64_t bytes) const noexcept
      WEIR_REQUIRES(mutex_);
  /// The most bytes that caches could free for `share`.
  std::uint64_t evictable_bytes(const Share& share) const noexcept WEIR_REQUIRES(mutex_);
  void charge(Share& share, Account account, std::uint64_t bytes, bool reserve = false) noexcept
      WEIR_REQUIRES(mutex_);
  void uncharge(Share& share, Account account, std::uint64_t bytes, bool reserve = false) noexcept
      WEIR_REQUIRES(mutex_);
  void move(Share& share, Account from, Account to, std::uint64_t bytes) noexcept
      WEIR_REQUIRES(mutex_);

  void set_waiting(Share& share, bool waiting) noexcept WEIR_REQUIRES(mutex_);

 private:
  /// Whether `share` must stay within its promise because another share has waited longer.
  bool must_yield(const Share& share) const noexcept WEIR_REQUIRES(mutex_);
  void update_reserved(Share& share) noexcept WEIR_REQUIRES(mutex_);
  /// Bytes that the caches of shares other than `share` hold above the promises.
  std::uint64_t cached_by_others(const Share& share) const noexcept WEIR_REQUIRES(mutex_);

  std::atomic<long> user_{0};  ///< the process whose loaders use it; 0: none
  mutable Mutex mutex_;
  int loaders_ WEIR_GUARDED_BY(mutex_) = 0;
  const std::uint64_t budget_;
  AccountCounts total_ WEIR_GUARDED_BY(mutex_);
  /// sum over all shares; never above budget_
  std::uint64_t reserved_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t promised_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t postings_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_ticket_ WEIR_GUARDED_BY(mutex_) = 0;  ///< ticket of the newest waiter
  std::atomic<std::uint32_t> waiting_{0};  ///< number of shares; changed under mutex_
  Share* shares_ WEIR_GUARDED_BY(mutex_) WEIR_PT_GUARDED_BY(mutex_) = nullptr;  ///< intrusive list

  /// Locked after the mutex of a store of caches, before those of a cache and of the ledger: evict()
  /// calls caches, and a store opens and destroys caches, which attach and detach themselves.
  Mutex evictables_mutex_;
  std::vector<Evictable*> evictables_ WEIR_GUARDED_BY(evictables_mutex_);
};

}  // namespace weir::books
