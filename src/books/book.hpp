#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
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
inline constexpr std::size_t slab_states = 5;

/// How a leased batch ends.
enum class Parting : std::uint8_t { consumed, discarded };

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

  Snapshot snapshot() const {
    Lock lock(ledger_->mutex());
    return {page_.bytes.snapshot(ledger_->budget()), samples_, batches(SlabState::filling),
            batches(SlabState::ready), batches(SlabState::leased)};
  }
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
  bool sample_waits() const noexcept {
    Lock lock(ledger_->mutex());
    return !waiters_.empty();
  }

  // -- a cache, which gives way to all else (see Ledger::evict)
  /// Charges to `cache` unless anyone waits, the general pool has no room, or more than `cap` would be there.
  [[nodiscard]] bool try_charge_cache(std::uint64_t bytes, std::uint64_t cap) noexcept;
  void discharge_cache(std::uint64_t bytes) noexcept;
  /// Caches give way until this row can be admitted so much, or none can go; whether any went. Before the
  /// row waits: where it is not bytes that it is refused for, none go.
  bool make_room(RowKey row, Account account, std::uint64_t bytes) noexcept {
    const Claim claim{row, account, bytes};
    return make_room(&claim);
  }
  /// The same for the sample, or else the slab, that waits.
  bool make_room() noexcept { return make_room(nullptr); }
  /// Of what it has, others can have what it lets go of.
  bool beyond_promise() const noexcept {
    Lock lock(ledger_->mutex());
    return page_.footprint > page_.promise;
  }

  // -- slabs
  /// Charges a slab that does not exist yet to `idle`. Comes last: refused while anyone waits.
  [[nodiscard]] bool try_charge_slab() noexcept { return try_charge_slab(terms_.slab_bytes); }
  [[nodiscard]] bool try_charge_slab(std::uint64_t bytes) noexcept;
  /// Its memory is there: absent -> idle.
  void add_slab(SlabId slab) noexcept { add_slab(slab, terms_.slab_bytes); }
  void add_slab(SlabId slab, std::uint64_t bytes) noexcept;
  /// An idle slab leaves the books; its memory is gone.
  void remove_slab(SlabId slab) noexcept;
  std::optional<SlabId> idle_slab() const noexcept {
    Lock lock(ledger_->mutex());
    return idle_.empty() ? std::nullopt : std::optional(idle_.back());
  }
  SlabState state(SlabId slab) const noexcept {
    Lock lock(ledger_->mutex());
    return slabs_[slab].state;
  }

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
    std::uint64_t slab_requested = 0;                 ///< bytes of the slab asked for last
  };
  Queue queue() const noexcept;
  std::uint32_t leased() const noexcept { return queue().leased; }
  /// The consumer has let this batch go.
  bool has_released(std::uint64_t sequence) const noexcept {
    Lock lock(ledger_->mutex());
    return released_.contains(sequence);
  }
  ReleasePrefix released() const {
    Lock lock(ledger_->mutex());
    return released_;
  }

 private:
  class Posting;
  struct Slab {
    SlabState state = SlabState::absent;
    std::uint64_t bytes = 0;   ///< where it exists
    std::uint64_t stream = 0;  ///< for which it was last filled
  };

  bool may_go_first(RowKey row) const noexcept WEIR_REQUIRES(ledger_->mutex());
  bool encoded_capped(const Claim& claim) const noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Charges to the pool that has room; the reserve is the oldest row's alone.
  std::optional<Admitted> try_admit(const Claim& claim) noexcept WEIR_REQUIRES(ledger_->mutex());
  /// Bytes that caches would have to let go of for it.
  std::uint64_t shortage(const Claim& claim) const noexcept WEIR_REQUIRES(ledger_->mutex());
  std::uint64_t shortage_of_waiting() const noexcept WEIR_REQUIRES(ledger_->mutex());
  void note_waiting(Posting& posting) noexcept WEIR_REQUIRES(ledger_->mutex());
  void set_state(SlabId slab, SlabState to) noexcept WEIR_REQUIRES(ledger_->mutex());
  /// set_state(), and its bytes move to the account of that state.
  void become(SlabId slab, SlabState to) noexcept WEIR_REQUIRES(ledger_->mutex());
  using Count = std::uint64_t SampleTally::*;
  /// All samples of the slab that were not lost.
  void move_samples(SlabId slab, Count from, Count to) noexcept WEIR_REQUIRES(ledger_->mutex());
  bool make_room(const Claim* claim) noexcept;
  std::uint32_t batches(SlabState state) const noexcept WEIR_REQUIRES(ledger_->mutex()) {
    return in_state_[static_cast<std::size_t>(state)];
  }

  const std::shared_ptr<Ledger> ledger_;
  const Terms terms_;
  Page page_ WEIR_GUARDED_BY(ledger_->mutex());
  SampleTally samples_ WEIR_GUARDED_BY(ledger_->mutex());
  std::vector<Slab> slabs_ WEIR_GUARDED_BY(ledger_->mutex());
  std::array<std::uint32_t, slab_states> in_state_ WEIR_GUARDED_BY(ledger_->mutex()){};  ///< slabs
  std::vector<SlabId> idle_ WEIR_GUARDED_BY(ledger_->mutex());
  OpenBatches open_ WEIR_GUARDED_BY(ledger_->mutex());
  Waiters waiters_ WEIR_GUARDED_BY(ledger_->mutex());
  bool wants_slab_ WEIR_GUARDED_BY(ledger_->mutex()) = false;
  std::uint64_t slab_requested_ WEIR_GUARDED_BY(ledger_->mutex());  ///< bytes
  bool cancelled_ WEIR_GUARDED_BY(ledger_->mutex()) = false;
  RowKey stop_ WEIR_GUARDED_BY(ledger_->mutex()) = no_row;
  std::uint64_t stream_ WEIR_GUARDED_BY(ledger_->mutex()) = 0;
  ReleasePrefix released_ WEIR_GUARDED_BY(ledger_->mutex());
  std::atomic<bool> wanted_{false};  ///< someone_waits()
};

/// A charge on one page; empty, as MemoryLedger::try_charge is.
[[nodiscard]] std::optional<Charge> charge(std::shared_ptr<Book> page, Account account,
                                           std::uint64_t bytes);

}  // namespace weir::books
