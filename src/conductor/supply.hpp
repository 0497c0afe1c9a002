#pragma once

#include <cstdint>

#include "conductor/schedule.hpp"
#include "source/position.hpp"

namespace weir::conductor {

/// What a stream delivers: its batches in sequence, and the sample of each row. The conductor opens
/// batches by it, and workers ask it for their rows. Const members from any thread.
class Supply {
 public:
  virtual ~Supply() = default;
  /// One past the last batch that can be opened now. It never shrinks.
  virtual std::uint64_t known() const noexcept = 0;
  /// One past the last batch of the stream; UINT64_MAX if there is no end.
  virtual std::uint64_t end() const noexcept = 0;
  /// `sequence` must be below known().
  virtual BatchSlot at(std::uint64_t sequence) const noexcept = 0;
  /// The position with this ordinal in the batch.
  virtual source::Position position(const BatchSlot& batch,
                                    std::uint64_t ordinal) const noexcept = 0;
  /// The source index at this position of the batch. Throws if an order of the user's own has none.
  virtual std::uint64_t index(const BatchSlot& batch, source::Position position) const = 0;
  /// The samples of all epochs that have begun when the batch is handed over.
  virtual std::uint64_t samples_begun(const BatchSlot& batch) const noexcept = 0;
  /// The global batch that cuts the size buckets of the batch's epoch; 0: no buckets.
  virtual std::uint64_t bucket_rows(const BatchSlot& batch) const noexcept = 0;
  /// The largest bucket_rows().
  virtual std::uint64_t most_bucket_rows() const noexcept = 0;
};

}  // namespace weir::conductor
