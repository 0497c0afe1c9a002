#pragma once

#include <cstdint>
#include <optional>

#include "books/book.hpp"
#include "conductor/actions.hpp"
#include "conductor/supply.hpp"

namespace weir::conductor {

/// The faults that a stream tolerates. They are counted in sequence order, so the stream always
/// ends at the same batch.
struct Tolerance {
  std::uint64_t faults = UINT64_MAX;
  double share = 1.0;  ///< of the samples of all epochs that have begun, and of replacements
};

/// The limits of a stream.
struct Policy {
  std::uint32_t max_queue_size = 1;
  /// A batch is opened only while fewer rows than this are untaken. So a queue that never fills
  /// never allocates all of its slabs. The engine wakes the conductor when the untaken rows fall
  /// below it.
  std::uint64_t rows_ahead = 1;
  Tolerance tolerance{};
  /// A batch of any size may be opened if the consumer has no other batch ahead. Otherwise the bytes
  /// of filling and ready slabs are limited, and also those together with leased slabs.
  std::uint64_t max_queue_bytes = UINT64_MAX, max_staging_bytes = UINT64_MAX;
};

/// Makes every decision of a stream: which batch gets which slab and when, which waiter gets freed
/// bytes, when a batch is published, how the stream ends. A plain state machine without threads,
/// clock or locks.
///
/// Level-triggered: an event only causes another step(), which reads the books and does all that
/// they allow. Events carry no data and can be merged. A lost event does no harm if another one
/// follows. Calls must not overlap.
class Conductor {
 public:
  Conductor(books::Book& book, const Supply& supply, const Policy& policy, Actions& actions);

  /// Reads the books and does everything that is possible. Passes on exceptions of make_slab();
  /// then the caller must call fail().
  void step();
  /// Drops the open batches. No worker may hold a row (after halt()).
  void workers_left() noexcept;
  /// Ends the stream at once after a failure outside any row.
  void fail() noexcept;
  /// The limits for the next step() and later. If the queue is deeper than its new limit, it
  /// shrinks as batches are leased.
  void set_bounds(std::uint32_t max_queue_size, std::uint64_t rows_ahead) noexcept {
    policy_.max_queue_size = max_queue_size;
    policy_.rows_ahead = rows_ahead;
  }

  /// Nothing is being filled, and nothing can be until the consumer releases a batch.
  bool at_rest() const noexcept { return at_rest_; }
  bool ended() const noexcept { return ended_; }
  /// All batches that are known have been opened.
  bool all_opened() const noexcept { return next_ >= supply_.known(); }

 private:
  /// Publishes complete batches. Returns the state of the books after the last one.
  books::Book::Queue publish();
  bool tolerable(const books::Book::Queue& queue) noexcept;
  void grant();
  /// What open_next() has opened.
  enum class Opened : std::uint8_t { nothing, rows, padding };
  Opened open_next(const books::Book::Queue& queue);
  std::optional<books::SlabId> slab_for(const BatchSlot& batch, const books::Book::Queue& queue);
  void finish(End why) noexcept;

  books::Book& book_;
  const Supply& supply_;
  Policy policy_;
  Actions& actions_;
  std::uint64_t next_ = 0;  ///< sequence of the batch to open next
  std::uint64_t published_faults_ = 0, redrawn_ = 0;
  bool awaits_slots_ = true;  ///< as Book::await_slots
  bool intolerable_ = false, ended_ = false, left_ = false, at_rest_ = false;
};

}  // namespace weir::conductor
