#pragma once

#include <cstdint>
#include <optional>

#include "books/book.hpp"
#include "conductor/schedule.hpp"

namespace weir::conductor {

/// Why a stream ends.
enum class End : std::uint8_t { complete, cancelled, stopped, too_many_faults };

/// What the conductor has the engine do. Called from within step() and workers_left() alone.
class Actions {
 public:
  virtual ~Actions() = default;
  /// An idle slab more, charged and allocated; false where the budget refuses it now.
  virtual bool make_slab() = 0;
  // -- where sizes differ (Policy::sizes_differ)
  /// What the batch's slab must hold.
  virtual std::uint64_t bytes_of(const BatchSlot&) { return 0; }
  /// An idle slab that holds `bytes` and not much more, and `most` at the most.
  virtual std::optional<books::SlabId> fitting_slab(std::uint64_t, std::uint64_t /*most*/) {
    return std::nullopt;
  }
  /// A new one of `bytes`, charged and allocated, in place of all that lie idle; none where the budget
  /// refuses it now.
  virtual std::optional<books::SlabId> make_slab_of(std::uint64_t) { return std::nullopt; }
  virtual void free_idle_slabs() noexcept {}
  /// Rows of open batches that nobody has taken yet.
  virtual std::uint64_t untaken_rows() noexcept = 0;
  /// Frees blocks of workers that have nothing to do.
  virtual void trim_idle() noexcept = 0;
  /// A cache gives way to the sample or slab that waits; false: none could, or need not.
  virtual bool make_room() noexcept { return false; }
  /// The batch has its slab: its rows may be worked on.
  virtual void open(books::SlabId slab, const BatchSlot& batch) = 0;
  /// The waiter was granted its bytes: its row may go on.
  virtual void resume(books::Waiter& waiter) = 0;
  /// Hands a batch to the consumer.
  virtual void publish(books::SlabId slab) noexcept = 0;
  /// Nothing more is to be worked on; workers_left() follows when the last worker has let go.
  virtual void halt() noexcept = 0;
  /// What has been published is all there will be.
  virtual void end(End why) noexcept = 0;
};

/// What a stream tolerates, counted in sequence order so that it ends at the same batch every time.
struct Tolerance {
  std::uint64_t faults = UINT64_MAX;
  double share = 1.0;
  std::uint64_t dataset_size = 0;  ///< the share is of the samples of the epochs begun, and redraws
};

/// The bounds of a stream.
struct Policy {
  std::uint32_t max_queue_size = 1;
  /// A batch is opened only while fewer rows than this are untaken: a queue that never fills never
  /// gets its slabs. The engine wakes the conductor when the rows fall below it.
  std::uint64_t rows_ahead = 1;
  Tolerance tolerance{};
  /// Each batch has a slab of its own size. Where none is ahead of the consumer yet, one may be opened
  /// whatever its bytes; else they are bounded, of those filling and ready and of those leased, too.
  bool sizes_differ = false;
  std::uint64_t max_queue_bytes = UINT64_MAX, max_staging_bytes = UINT64_MAX;
};

/// Every decision of a stream: which batch gets which slab and when, who gets freed bytes, when a
/// batch is handed over, how the stream ends. A plain state machine: no thread, clock or lock.
///
/// Level-triggered: an event is only a reason to look at the books again, and step() does all that
/// they allow. So events carry nothing, may be merged, and one lost between two others does no harm.
/// Calls must not overlap.
class Conductor {
 public:
  Conductor(books::Book& book, const Schedule& schedule, const Policy& policy,
            std::uint64_t first_batch, Actions& actions);

  /// Looks at the books and does what can be done. May throw what make_slab() throws; then the
  /// caller ends the stream with fail().
  void step();
  /// No worker holds a row any more (after halt()): open batches are dropped.
  void workers_left() noexcept;
  /// Ends the stream at once, for a failure outside any row.
  void fail() noexcept;
  /// Bounds from the next step() on. A queue that is deeper than its new bound runs down.
  void set_bounds(std::uint32_t max_queue_size, std::uint64_t rows_ahead) noexcept {
    policy_.max_queue_size = max_queue_size;
    policy_.rows_ahead = rows_ahead;
  }

  /// Nothing is being filled and nothing can be before the consumer releases a batch.
  bool at_rest() const noexcept { return at_rest_; }
  bool ended() const noexcept { return ended_; }

 private:
  /// Hands over what is complete; what the books said when nothing more was.
  books::Book::Queue publish();
  bool tolerable(const books::Book::Queue& queue) noexcept;
  void grant();
  bool open_next(const books::Book::Queue& queue);
  std::optional<books::SlabId> slab_for(const BatchSlot& batch, const books::Book::Queue& queue);
  bool slab_ready();
  void finish(End why) noexcept;
  void skip_released();

  books::Book& book_;
  const Schedule schedule_;
  Policy policy_;
  Actions& actions_;
  std::uint64_t next_;  ///< sequence of the batch to open next
  const std::uint64_t first_epoch_;
  std::uint64_t published_faults_ = 0, redrawn_ = 0;
  bool intolerable_ = false, ended_ = false, left_ = false, at_rest_ = false;
};

}  // namespace weir::conductor
