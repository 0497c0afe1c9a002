#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "books/row_key.hpp"

namespace weir::conductor {

/// Consecutive rows of one batch.
struct RowRun {
  books::SlabId slab = 0;
  std::uint64_t sequence = 0;
  std::uint32_t first = 0, count = 0;
  books::RowKey key() const noexcept { return {sequence, first}; }
};

/// Rows that no thread has taken, oldest first. Not thread-safe: the engine locks its mutex.
class RowFeed {
 public:
  /// Reserves memory for `runs` runs. More runs cost an allocation.
  explicit RowFeed(std::size_t runs) { reserve(runs); }
  void reserve(std::size_t runs) { runs_.reserve(runs); }

  /// Adds the rows of a new batch, or the rest of a run that a worker returned.
  void add(const RowRun& run);
  /// Up to `most` rows from the front of the oldest run, if its first row is older than `barrier`.
  std::optional<RowRun> take(std::uint32_t most, books::RowKey barrier) noexcept;
  /// The number of rows in all runs.
  std::uint64_t rows() const noexcept { return rows_; }
  /// The number of rows left in the oldest run.
  std::uint32_t front_count() const noexcept { return runs_.empty() ? 0 : runs_.back().count; }
  books::RowKey front() const noexcept {
    return runs_.empty() ? books::no_row : runs_.back().key();
  }
  void clear() noexcept {
    runs_.clear();
    rows_ = 0;
  }

 private:
  std::vector<RowRun> runs_;  ///< youngest first, so that taking from the oldest is O(1)
  std::uint64_t rows_ = 0;
};

}  // namespace weir::conductor
