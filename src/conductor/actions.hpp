#pragma once

#include <cstdint>
#include <optional>

#include "books/ledger.hpp"
#include "books/waiters.hpp"
#include "conductor/schedule.hpp"

namespace weir::conductor {

enum class End : std::uint8_t { complete, cancelled, stopped, too_many_faults };

/// The actions that the engine performs for the conductor. Called only from step() and
/// workers_left().
class Actions {
 public:
  virtual ~Actions() = default;
  /// The size of the slab that the batch needs.
  virtual std::uint64_t bytes_of(const BatchSlot& batch) = 0;
  /// Charges and allocates one more idle slab, instead of idle ones that do not suit. Empty if the
  /// budget refuses it now.
  virtual std::optional<books::SlabId> make_slab(std::uint64_t bytes) = 0;
  /// Called only if batches need slabs of different sizes.
  virtual void free_idle_slabs() noexcept {}
  /// The number of rows of open batches that no worker or reader has taken.
  virtual std::uint64_t untaken_rows() noexcept = 0;
  /// Frees the blocks of idle workers.
  virtual void trim_idle() noexcept = 0;
  /// The batch has its slab. Its rows can be processed.
  virtual void open(books::SlabId slab, const BatchSlot& batch) = 0;
  /// The waiter has its bytes. Its row can continue.
  virtual void resume(books::Waiter& waiter) = 0;
  /// Passes a batch to the consumer.
  virtual void publish(books::SlabId slab) noexcept = 0;
  /// Stops all work. workers_left() follows when the last worker has stopped.
  virtual void halt() noexcept = 0;
  /// No further batch will be published.
  virtual void end(End why) noexcept = 0;
};

}  // namespace weir::conductor
