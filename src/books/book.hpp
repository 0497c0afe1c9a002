#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "books/budget.hpp"
#include "books/open_batches.hpp"
#include "weir/ledger.hpp"

namespace weir::books {

/// How a leased batch ends.
enum class Parting : std::uint8_t { consumed, discarded };

/// Consecutive rows of one batch that end alike.
struct EndedRows {
  SlabId slab = no_slab;
  std::uint32_t first = 0, count = 1;
  bool ok = true;  ///< they have their pixels; otherwise each is lost to a Fault
  bool replaced = false;
  std::uint32_t partners = 0;  ///< further samples of each row
};

/// The budget of one loader, its samples, and its slabs by state. A change of bytes and samples is
/// one posting. Only the constructor, reserve_slab() and add_slab() allocate. Callers must follow these
/// roles: the conductor opens, publishes and drops batches; workers finish rows; the consumer leases
/// and releases.
class Book final : public Budget {
 public:
  Book(std::shared_ptr<Ledger> ledger, const ShareLimits& limits);
  ~Book() override;

  Snapshot snapshot() const {
    Lock lock(ledger_->mutex());
    return {share_.bytes.snapshot(ledger_->budget()), samples_, batches(SlabState::filling),
            batches(SlabState::ready), batches(SlabState::leased)};
  }

  /// Called when the loader ends. Ends the promise and the reserve. Leased slabs stay charged.
  void retire() noexcept;

  // -- slabs
  /// Charges a new slab to `idle` before its memory is allocated. Refuses while anyone waits.
  [[nodiscard]] bool try_charge_slab() noexcept { return try_charge_slab(limits_.slab_bytes); }
  [[nodiscard]] bool try_charge_slab(std::uint64_t bytes) noexcept;
  /// Bytes of the share's records of one slab.
  static constexpr std::uint64_t record_bytes(std::uint32_t batch) noexcept {
    return sizeof(SlabRecord) + OpenBatches::entry_bytes(batch);
  }
  /// Makes the records of the slab. Only the constructor of the pool, and the conductor. Throws
  /// std::bad_alloc.
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
  /// The smallest idle slab that suits a batch of `bytes`: it is at most an eighth larger, and has
  /// at most `most` bytes.
  std::optional<SlabId> fitting_slab(std::uint64_t bytes, std::uint64_t most) const noexcept;
  SlabState state(SlabId slab) const noexcept {
    Lock lock(ledger_->mutex());
    return slabs_[slab].state;
  }

  // -- the life of a batch
  void begin_stream(std::shared_ptr<Wakeable> waker) noexcept;
  void open_batch(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept;
  /// True if the conductor must step, because the batch is complete or the stream stops.
  [[nodiscard]] bool finish_rows(const EndedRows& rows) noexcept;
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
  /// lease() and release() wake the conductor only while it waits for a slot or a slab, and release()
  /// while the consumer waits for one of its own leases to end. A new stream waits for slots. The
  /// conductor reads the books once more after it says so, so that it misses no change.
  void await_slots(bool awaited) noexcept {
    Lock lock(ledger_->mutex());
    slots_awaited_ = awaited;
  }
  void await_lease(bool awaited) noexcept {
    Lock lock(ledger_->mutex());
    lease_awaited_ = awaited;
  }
  /// The stream ends at this row; older rows are still produced. The call with the oldest row wins.
  /// True if this call does.
  bool stop_at(RowKey row) noexcept;

  // -- state that the conductor reads
  struct Queue {
    std::uint32_t filling = 0, ready = 0, leased = 0;
    bool front_complete = false;
    SlabId front = 0;
    std::uint64_t front_sequence = 0;
    /// Failed attempts, and those that were replaced.
    std::uint32_t front_faults = 0, front_redrawn = 0;
    RowKey oldest{}, stop = no_row;
    bool cancelled = false;
    std::uint64_t queue_bytes = 0, leased_bytes = 0;  ///< bytes of slabs: filling and ready; leased
    std::uint64_t slab_requested = 0;                 ///< bytes of the slab that was last requested
  };
  Queue queue() const noexcept;
  std::uint32_t leased() const noexcept { return queue().leased; }

 private:
  RowKey oldest() const noexcept override WEIR_REQUIRES(ledger_->mutex()) { return open_.oldest(); }
  using Count = std::uint64_t SampleTally::*;
  /// Moves the bytes of the slab, and all its samples that were not lost, to where the state has
  /// them. The bytes of an absent slab are charged to `idle` already. `end`: how the samples end.
  void become(SlabId slab, SlabState to, Count end = nullptr) noexcept
      WEIR_REQUIRES(ledger_->mutex());
  std::uint32_t batches(SlabState state) const noexcept WEIR_REQUIRES(ledger_->mutex()) {
    return in_state_[static_cast<std::size_t>(state)];
  }

  SampleTally samples_ WEIR_GUARDED_BY(ledger_->mutex());
  Grown<SlabRecord> slabs_ WEIR_GUARDED_BY(ledger_->mutex());
  std::array<std::uint32_t, slab_states> in_state_ WEIR_GUARDED_BY(ledger_->mutex()){};  ///< slabs
  SlabId idle_ WEIR_GUARDED_BY(ledger_->mutex()) = no_slab;  ///< the youngest idle slab
  std::uint32_t records_charged_ WEIR_GUARDED_BY(ledger_->mutex());
  OpenBatches open_ WEIR_GUARDED_BY(ledger_->mutex());
  RowKey stop_ WEIR_GUARDED_BY(ledger_->mutex()) = no_row;
  bool slots_awaited_ WEIR_GUARDED_BY(ledger_->mutex()) = true;
  bool lease_awaited_ WEIR_GUARDED_BY(ledger_->mutex()) = false;
};

}  // namespace weir::books
