#pragma once

#include <cstdint>
#include <vector>

#include "books/row_key.hpp"

namespace weir::books {

/// The batches that are being filled, in sequence order, and their finished rows. The oldest
/// unfinished row only moves forward. Allocates only in the constructor. Guarded by the leaf mutex.
class OpenBatches {
 public:
  struct Entry {
    std::uint64_t sequence = 0;
    std::uint32_t rows = 0;
    std::uint32_t unfinished = 0;
    std::uint32_t cursor = 0;  ///< all rows before it are finished
    std::uint32_t lost = 0;    ///< rows with a Fault that were not replaced
    std::uint32_t faults = 0;  ///< failed attempts, replaced or not
    std::vector<bool> done;
  };

  OpenBatches(std::uint32_t slabs, std::uint32_t batch);

  /// Starts a new stream at `sequence`. No batch may be open.
  void restart(std::uint64_t sequence) noexcept;
  /// `sequence` must be above all earlier ones.
  void open(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept;
  /// Marks a row as finished. Each row is finished once.
  void finish(SlabId slab, std::uint32_t row) noexcept;
  /// Removes the oldest open batch.
  void close_front() noexcept;

  const Entry& entry(SlabId slab) const noexcept { return entries_[slab]; }
  Entry& entry(SlabId slab) noexcept { return entries_[slab]; }
  bool empty() const noexcept { return count_ == 0; }
  std::uint32_t size() const noexcept { return count_; }
  SlabId front() const noexcept { return order_[head_]; }
  RowKey oldest() const noexcept { return oldest_; }

 private:
  SlabId nth(std::uint32_t n) const noexcept { return order_[(head_ + n) % order_.size()]; }
  void advance() noexcept;

  std::vector<Entry> entries_;  ///< indexed by slab
  std::vector<SlabId> order_;   ///< ring buffer, oldest first
  std::uint32_t head_ = 0, count_ = 0;
  std::uint32_t ended_ = 0;  ///< leading open batches without an unfinished row
  std::uint64_t next_sequence_ = 0;
  RowKey oldest_{};
};

}  // namespace weir::books
