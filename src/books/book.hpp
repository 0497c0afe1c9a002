#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "books/ledger.hpp"
#include "books/open_batches.hpp"
#include "books/row_key.hpp"
#include "books/waiters.hpp"
#include "weir/tally.hpp"

namespace weir::books {

/// The limits of a share, fixed when it is opened.
struct ShareLimits {
  std::uint64_t promise = 0;     ///< bytes that no other share can take
  std::uint64_t reserve = 0;     ///< max_sample_bytes: reserved for the oldest unfinished row
  std::uint64_t slab_bytes = 0;  ///< largest slab if sizes differ
  std::uint64_t encoded_cap = UINT64_MAX;  ///< limit of `encoded`; the oldest row may exceed it
  std::uint32_t slabs = 0, batch = 0;
  /// Bytes of all records of one slab: here, in the pool and in the stats. They are charged to
  /// `index` when their table grows; those of the first `records` slabs are charged elsewhere.
  std::uint64_t record_bytes = 0;
  std::uint32_t records = 0;
  /// Limit of `encoded` and `scratch` without the reserve, which the oldest row may use beyond it.
  std::uint64_t working_cap = UINT64_MAX;
};

/// How a leased batch ends.
enum class Parting : std::uint8_t { consumed, discarded };

/// One loader's share in a ledger. Thread-safe: each public call is one posting or one read under
/// the ledger's mutex. Only open(), reserve_slab() and add_slab() allocate. Callers must follow
/// these roles: the conductor opens, publishes and drops batches; workers admit bytes and finish
/// rows; the consumer leases and releases.
class Book {
 public:
  /// Throws Error{budget_too_small} if the promise does not fit beside the other shares.
  static std::shared_ptr<Book> open(std::shared_ptr<Ledger> ledger, const ShareLimits& limits);
  Book(std::shared_ptr<Ledger> ledger, const ShareLimits& limits);
  ~Book();
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  Snapshot snapshot() const {
    Lock lock(ledger_->mutex());
    return {share_.bytes.snapshot(ledger_->budget()), samples_, batches(SlabState::filling),
            batches(SlabState::ready), batches(SlabState::leased)};
  }
  const ShareLimits& limits() const noexcept { return limits_; }
  const std::shared_ptr<Ledger>& ledger() const noexcept { return ledger_; }

  /// Called when the loader ends. Ends the promise and the reserve. Leased slabs stay charged.
  void retire() noexcept;

  // -- bytes that belong to no row
  [[nodiscard]] bool try_charge(Account account, std::uint64_t bytes) noexcept;
  void discharge(Account account, const Admitted& bytes) noexcept;
  void transfer(Account from, Account to, std::uint64_t bytes) noexcept;

  // -- bytes of a row
  /// Charges the bytes. If they are refused, `waiter` is added to the waiters in the same posting.
  [[nodiscard]] std::optional<Admitted> admit(RowKey row, Account account, std::uint64_t bytes,
                                              Waiter* waiter) noexcept;
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
  /// Evicts from caches until `row` can be admitted with `bytes`, or nothing more can be evicted.
  /// Returns whether anything was evicted. Call it before the row waits. It evicts nothing if the
  /// row is refused for another reason than bytes.
  bool make_room(RowKey row, Account account, std::uint64_t bytes) noexcept {
    const Claim claim{row, account, bytes};
    return make_room(&claim);
  }
  /// As above, for the waiting sample or, if there is none, for the waiting slab.
  bool make_room() noexcept { return make_room(nullptr); }
  /// Whether other shares can use the bytes that this share frees.
  bool beyond_promise() const noexcept {
    Lock lock(ledger_->mutex());
    return share_.reserved > share_.promise;
  }

  // -- slabs
  /// Charges a new slab to `idle` before its memory is allocated. Refuses while anyone waits.
  [[nodiscard]] bool try_charge_slab() noexcept { return try_charge_slab(limits_.slab_bytes); }
  [[nodiscard]] bool try_charge_slab(std::uint64_t bytes) noexcept;
  /// Bytes of the share's records of one slab.
  static constexpr std::uint64_t record_bytes(std::uint32_t batch) noexcept {
    return sizeof(SlabRecord) + OpenBatches::entry_bytes(batch);
  }
  /// Makes the records of the slab. Only the conductor. Throws std::bad_alloc.
  void reserve_slab(SlabId slab);
  /// The memory of the slab is allocated: absent -> idle. Calls reserve_slab().
  void add_slab(SlabId slab) { add_slab(slab, limits_.slab_bytes); }
  void add_slab(SlabId slab, std::uint64_t bytes);
  /// Removes an idle slab whose memory has been freed.
  void remove_slab(SlabId slab) noexcept;
  std::optional<SlabId> idle_slab() const noexcept {
    Lock lock(ledger_->mutex());
    return idle_ == no_slab ? std::nullopt : std::optional(idle_);
  }
  /// The smallest idle slab of `least` to `most` bytes.
  std::optional<SlabId> smallest_idle_slab(std::uint64_t least, std::uint64_t most) const noexcept;
  SlabState state(SlabId slab) const noexcept {
    Lock lock(ledger_->mutex());
    return slabs_[slab].state;
  }

  // -- the life of a batch
  void begin_stream(std::shared_ptr<Wakeable> waker) noexcept;
  /// Removes all waiters and the waker. No batch may be open.
  void end_stream() noexcept;
  /// Wakes the stream's conductor after a change outside the books.
  void wake() noexcept;
  void open_batch(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept;
  /// `ok`: the row has its pixels. Otherwise it is lost to a Fault.
  void finish_row(SlabId slab, std::uint32_t row, bool ok, bool replaced) noexcept;
  /// Counts a failed attempt and its replacement. The row stays unfinished.
  void fail_and_redraw(SlabId slab) noexcept;
  void publish_front() noexcept;
  /// ready -> leased. False if the stream was cancelled first: the caller must discard the batch.
  [[nodiscard]] bool lease(SlabId slab) noexcept;
  /// leased -> idle. If the slab's memory is `gone`, the slab leaves the books.
  void release(SlabId slab, Parting parting, bool gone) noexcept;
  /// Names the holder of a leased slab. `holder` must be a string with static lifetime.
  void name_holder(SlabId slab, const char* holder) noexcept;
  void discard_ready(SlabId slab) noexcept;
  void drop_front() noexcept;  ///< drops an open batch: filling -> idle
  void omit(std::uint64_t samples) noexcept;

  // -- the end of a stream
  void cancel() noexcept;
  /// The stream ends at this row; older rows are still produced. The call with the oldest row wins.
  /// True if this call does.
  bool stop_at(RowKey row) noexcept;

  // -- state that the conductor reads
  struct Queue {
    std::uint32_t filling = 0, ready = 0, leased = 0;
    bool front_complete = false;
    SlabId front = 0;
    std::uint64_t front_sequence = 0;
    std::uint32_t front_faults = 0,
                  front_redrawn = 0;  ///< failed attempts, and those that were replaced
    RowKey oldest{}, stop = no_row;
    bool cancelled = false;
    std::uint64_t queue_bytes = 0, leased_bytes = 0;  ///< bytes of slabs: filling and ready; leased
    std::uint64_t slab_requested = 0;                 ///< bytes of the slab that was last requested
  };
  Queue queue() const noexcept;
  std::uint32_t leased() const noexcept { return queue().leased; }

 private:
  /// One change of the books. Holds the leaf mutex and counts itself. It wakes others only after it
  /// has released the mutex.
  class WEIR_SCOPED_CAPABILITY Posting {
   public:
    explicit Posting(Book& book) noexcept WEIR_ACQUIRE(book.ledger_->mutex()) : book_(book) {
      book_.ledger_->mutex().lock();
      book_.ledger_->count_posting();
    }
    Posting(const Posting&) = delete;
    Posting& operator=(const Posting&) = delete;
    ~Posting() WEIR_RELEASE() WEIR_NO_THREAD_SAFETY_ANALYSIS {
      const auto ledger = freed_ && book_.ledger_->anyone_waits() ? book_.ledger_ : nullptr;
      const auto waker = wake_ ? book_.share_.waker : nullptr;
      book_.ledger_->mutex().unlock();
      if (waker) waker->wake();
      if (ledger) ledger->wake_waiting();
    }

    /// Wakes the conductor of this share.
    void wake() noexcept { wake_ = true; }
    /// Bytes were freed, or the waiting order changed: wakes all waiting shares.
    void freed() noexcept { freed_ = true; }

   private:
    Book& book_;
    bool wake_ = false, freed_ = false;
  };

  /// Records that the next slab needs and that are not charged.
  std::uint32_t records_due() const noexcept WEIR_REQUIRES(ledger_->mutex());
  bool may_go_first(RowKey row) const noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Whether a limit of the share refuses the claim, whatever the ledger has.
  bool capped(const Claim& claim) const noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Charges a pool that has room. Only the oldest row may use the reserve.
  std::optional<Admitted> try_admit(const Claim& claim) noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Bytes that caches must free for this claim.
  std::uint64_t shortage(const Claim& claim) const noexcept WEIR_REQUIRES(ledger_->mutex());
  std::uint64_t shortage_of_waiting() const noexcept WEIR_REQUIRES(ledger_->mutex());
  void note_waiting(Posting& posting) noexcept WEIR_REQUIRES(ledger_->mutex());
  void set_state(SlabId slab, SlabState to) noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Calls set_state() and moves the slab's bytes to the account of that state.
  void become(SlabId slab, SlabState to) noexcept WEIR_REQUIRES(ledger_->mutex());
  using Count = std::uint64_t SampleTally::*;
  /// Moves all samples of the slab that were not lost.
  void move_samples(SlabId slab, Count from, Count to) noexcept WEIR_REQUIRES(ledger_->mutex());
  bool make_room(const Claim* claim) noexcept;
  std::uint32_t batches(SlabState state) const noexcept WEIR_REQUIRES(ledger_->mutex()) {
    return in_state_[static_cast<std::size_t>(state)];
  }

  const std::shared_ptr<Ledger> ledger_;
  const ShareLimits limits_;
  Share share_ WEIR_GUARDED_BY(ledger_->mutex());
  SampleTally samples_ WEIR_GUARDED_BY(ledger_->mutex());
  Grown<SlabRecord> slabs_ WEIR_GUARDED_BY(ledger_->mutex());
  std::array<std::uint32_t, slab_states> in_state_ WEIR_GUARDED_BY(ledger_->mutex()){};  ///< slabs
  SlabId idle_ WEIR_GUARDED_BY(ledger_->mutex()) = no_slab;  ///< the youngest idle slab
  std::uint32_t records_charged_ WEIR_GUARDED_BY(ledger_->mutex());
  OpenBatches open_ WEIR_GUARDED_BY(ledger_->mutex());
  Waiters waiters_ WEIR_GUARDED_BY(ledger_->mutex());
  bool wants_slab_ WEIR_GUARDED_BY(ledger_->mutex()) = false;
  std::uint64_t slab_requested_ WEIR_GUARDED_BY(ledger_->mutex());  ///< bytes
  bool cancelled_ WEIR_GUARDED_BY(ledger_->mutex()) = false;
  RowKey stop_ WEIR_GUARDED_BY(ledger_->mutex()) = no_row;
  std::atomic<bool> wanted_{false};  ///< value of someone_waits()
};

/// Charges one share. Empty if refused, as for MemoryLedger::try_charge.
[[nodiscard]] std::optional<Charge> charge(std::shared_ptr<Book> share, Account account,
                                           std::uint64_t bytes);

}  // namespace weir::books
