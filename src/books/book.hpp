#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "books/byte_counts.hpp"
#include "books/ledger.hpp"
#include "books/open_batches.hpp"
#include "books/release_prefix.hpp"
#include "books/row_key.hpp"
#include "books/waiters.hpp"
#include "weir/tally.hpp"

namespace weir::books {

/// What a page may do, fixed when it is opened.
struct Terms {
  std::uint64_t promise = 0;               ///< bytes no other page can take
  std::uint64_t reserve = 0;               ///< max_sample_bytes: kept for the oldest unfinished row
  std::uint64_t slab_bytes = 0;            ///< where sizes differ: most of one
  std::uint64_t encoded_cap = UINT64_MAX;  ///< most that `encoded` holds beyond the oldest row's
  std::uint32_t slabs = 0, batch = 0;
};

enum class SlabState : std::uint8_t { absent, idle, filling, ready, leased };

/// How a leased batch ends.
enum class Parting : std::uint8_t { consumed, discarded };

/// Bytes, samples and queue of one page at one instant.
struct Instant {
  MemorySnapshot memory;
  SampleTally samples;
  std::uint32_t filling = 0, ready = 0, leased = 0;
};

/// One loader's page in a ledger. Every public call is one posting or one reading under the
/// ledger's mutex; none allocates but open(), begin_stream() and released(). Any thread; who may call what
/// when is the caller's contract (the conductor opens, publishes and drops; workers admit and
/// finish; the consumer side leases and releases).
class Book {
 public:
  /// Throws Error{budget_too_small} where the promise does not fit beside the other pages.
  static std::shared_ptr<Book> open(std::shared_ptr<Ledger> ledger, const Terms& terms);
  Book(std::shared_ptr<Ledger> ledger, const Terms& terms);
  ~Book();
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;

  Instant snapshot() const;
  const Terms& terms() const noexcept { return terms_; }
  const std::shared_ptr<Ledger>& ledger() const noexcept { return ledger_; }

  /// The loader is gone: nothing is promised or reserved any more; what leases hold is still charged.
  void retire() noexcept;

  // -- bytes of no row
  [[nodiscard]] bool try_charge(Account account, std::uint64_t bytes) noexcept;
  void discharge(Account account, const Admitted& bytes) noexcept;
  void transfer(Account from, Account to, std::uint64_t bytes) noexcept;

  // -- bytes of a row
  /// Charges, or refuses and makes `waiter` a waiter in the same posting.
  [[nodiscard]] std::optional<Admitted> admit(RowKey row, Account account, std::uint64_t bytes,
                                              Waiter* waiter) noexcept;
  /// The waiter's worker has let go; bytes may be granted to it.
  void park(Waiter& waiter) noexcept;
  /// Charges the oldest waiter and takes it off the list; null where it must go on waiting.
  Waiter* grant_oldest() noexcept;
  /// Whether a sample or a slab waits for bytes: blocks that are not in use should go. A hint, no lock.
  bool someone_waits() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  bool sample_waits() const noexcept;

  // -- a cache, which gives way to all else (see Ledger::give_way)
  /// Charges to `cache` unless anyone waits, the general pool has no room, or more than `cap` would be there.
  [[nodiscard]] bool try_charge_cache(std::uint64_t bytes, std::uint64_t cap) noexcept;
  void discharge_cache(std::uint64_t bytes) noexcept;
  /// Caches give way until this row can be admitted so much, or none can go; whether any went. Before the
  /// row waits: where it is not bytes that it is refused for, none go.
  bool make_room(RowKey row, Account account, std::uint64_t bytes) noexcept;
  /// The same for the sample, or else the slab, that waits.
  bool make_room() noexcept;
  /// Of what it has, others can have what it lets go of.
  bool beyond_promise() const noexcept;

  // -- slabs
  /// Charges a slab that does not exist yet to `idle`. Comes last: refused while anyone waits.
  [[nodiscard]] bool try_charge_slab() noexcept { return try_charge_slab(terms_.slab_bytes); }
  [[nodiscard]] bool try_charge_slab(std::uint64_t bytes) noexcept;
  /// Its memory is there: absent -> idle.
  void add_slab(SlabId slab) noexcept { add_slab(slab, terms_.slab_bytes); }
  void add_slab(SlabId slab, std::uint64_t bytes) noexcept;
  /// An idle slab leaves the books; its memory is gone.
  void remove_slab(SlabId slab) noexcept;
  std::optional<SlabId> idle_slab() const noexcept;
  SlabState state(SlabId slab) const noexcept;

  // -- the life of a batch
  void begin_stream(std::uint64_t next_batch, const std::vector<std::uint64_t>& released_beyond,
                    std::shared_ptr<Wakeable> waker);
  /// Forgets waiters and waker. Nothing may be open.
  void end_stream() noexcept;
  /// The stream's conductor looks again, for what is not in the books.
  void wake() noexcept;
  void open_batch(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept;
  /// The row's pixels are in place (ok) or it is lost to a Fault (not ok).
  void finish_row(SlabId slab, std::uint32_t row, bool ok, bool replaced) noexcept;
  /// A failed attempt and its replacement change places; the row stays unfinished.
  void fail_and_redraw(SlabId slab) noexcept;
  void publish_front() noexcept;
  /// ready -> leased; false where a cancel won: the batch is to be discarded.
  [[nodiscard]] bool lease(SlabId slab) noexcept;
  /// leased -> idle, or off the books where the slab's memory is `gone`.
  void release(SlabId slab, Parting parting, bool gone) noexcept;
  /// Of a leased slab. The text lives for as long as the program.
  void name_holder(SlabId slab, const char* holder) noexcept;
  void discard_ready(SlabId slab) noexcept;
  void drop_front() noexcept;  ///< an open batch that will not be produced: filling -> idle
  void omit(std::uint64_t samples) noexcept;

  // -- how a stream ends
  void cancel() noexcept;
  bool cancelled() const noexcept;
  /// The stream ends at this row: older ones are still produced. The oldest such call counts;
  /// true where this one does.
  bool stop_at(RowKey row) noexcept;

  // -- what the conductor reads
  struct Queue {
    std::uint32_t filling = 0, ready = 0, leased = 0;
    bool front_complete = false;
    SlabId front = 0;
    std::uint64_t front_sequence = 0;
    std::uint32_t front_faults = 0,
                  front_redrawn = 0;  ///< failed attempts, those that were replaced
    RowKey oldest{}, stop = no_row;
    bool cancelled = false;
    std::uint64_t queue_bytes = 0, leased_bytes = 0;  ///< of slabs: filling and ready, leased
    std::uint64_t slab_asked = 0;                     ///< bytes of the slab asked for last
  };
  Queue queue() const noexcept;
  std::uint32_t leased() const noexcept;
  /// The consumer has let this batch go.
  bool has_released(std::uint64_t sequence) const noexcept;
  ReleasePrefix released() const;

 private:
  friend class Ledger;
  class Posting;

  bool fits_general(std::uint64_t bytes) const noexcept WEIR_REQUIRES(ledger_->mutex_);
  /// Bytes that the general pool is short of for `bytes` more.
  std::uint64_t missing(std::uint64_t bytes) const noexcept WEIR_REQUIRES(ledger_->mutex_);
  std::uint64_t missing_of_caches(std::uint64_t bytes) const noexcept
      WEIR_REQUIRES(ledger_->mutex_);
  bool encoded_capped(RowKey row, Account account, std::uint64_t bytes) const noexcept
      WEIR_REQUIRES(ledger_->mutex_);
  std::uint64_t short_of(RowKey row, Account account, std::uint64_t bytes) const noexcept;
  std::uint64_t short_of_waiting() const noexcept;
  void charge(Account account, std::uint64_t bytes, bool reserve) noexcept
      WEIR_REQUIRES(ledger_->mutex_);
  void uncharge(Account account, std::uint64_t bytes, bool reserve) noexcept
      WEIR_REQUIRES(ledger_->mutex_);
  void shift(Account from, Account to, std::uint64_t bytes) noexcept WEIR_REQUIRES(ledger_->mutex_);
  void refoot() noexcept WEIR_REQUIRES(ledger_->mutex_);
  void note_waiting(Posting& posting) noexcept WEIR_REQUIRES(ledger_->mutex_);
  /// Within its capacity, with ledger_->mutex_ held.
  void list_leases(std::vector<HeldLease>& held) const;
  void become_idle(SlabId slab, Account from) noexcept WEIR_REQUIRES(ledger_->mutex_);
  std::uint64_t samples_of(SlabId slab) const noexcept;

  // All below change and are read under ledger_->mutex_.
  const std::shared_ptr<Ledger> ledger_;
  const Terms terms_;
  std::uint64_t promise_, reserve_;
  ByteCounts bytes_;
  std::uint64_t general_ = 0, reserve_used_ = 0, footprint_ = 0;
  std::uint64_t cached_ = 0;  ///< of general_: what try_charge_cache() charged
  SampleTally samples_;
  std::uint32_t filling_ = 0, ready_ = 0, leased_ = 0;
  std::vector<SlabState> states_;
  std::vector<std::uint64_t> slab_bytes_;  ///< of the slabs that exist
  std::vector<const char*> holders_;       ///< of the slabs that are leased
  std::vector<SlabId> idle_;
  std::vector<std::uint64_t> stream_of_;  ///< the stream a slab was last filled for
  OpenBatches open_;
  Waiters waiters_;
  bool wants_slab_ = false;
  std::uint64_t slab_asked_;  ///< bytes
  bool cancelled_ = false;
  RowKey stop_ = no_row;
  std::uint64_t stream_ = 0;
  ReleasePrefix released_;
  std::shared_ptr<Wakeable> waker_;
  /// When this page began to wait, in the ledger's order; 0: it does not.
  std::uint64_t asked_ = 0;
  std::atomic<bool> wanted_{false};
  Book* next_ = nullptr;  ///< Ledger::books_
};

/// A charge on one page; empty, as MemoryLedger::try_charge is.
[[nodiscard]] std::optional<Charge> charge(std::shared_ptr<Book> page, Account account,
                                           std::uint64_t bytes);

}  // namespace weir::books
