#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/grown.hpp"
#include "books/row_key.hpp"

namespace weir::books {

/// The batches that are being filled, in sequence order, and their finished rows. The oldest
/// unfinished row only moves forward. It has an entry for each slab that has been made. Allocates
/// only in next_piece(). Guarded by the leaf mutex.
class OpenBatches {
 public:
  struct Entry {
    std::uint64_t sequence = 0;
    std::uint32_t rows = 0;
    std::uint32_t unfinished = 0;
    std::uint32_t cursor = 0;  ///< all rows before it are finished
    std::uint32_t lost = 0;    ///< rows with a Fault that were not replaced
    std::uint32_t faults = 0;  ///< failed attempts, replaced or not
    SlabId next = no_slab;     ///< the next open batch
    std::vector<bool> done;
  };
  using Piece = Grown<Entry>::Piece;

  /// Bytes of one entry.
  static constexpr std::uint64_t entry_bytes(std::uint32_t batch) noexcept {
    return sizeof(Entry) + (std::uint64_t{batch} + 63) / 64 * 8;
  }

  explicit OpenBatches(std::uint32_t slabs) noexcept : entries_(slabs) {}

  /// Entries for `slabs` more slabs.
  static Piece piece(std::uint32_t slabs, std::uint32_t batch) {
    Piece piece(slabs);
    for (auto& entry : piece) entry.done.resize(batch);
    return piece;
  }
  void add(Piece piece) noexcept { entries_.add(std::move(piece)); }

  /// Starts a new stream. No batch may be open.
  void restart() noexcept {
    front_ = back_ = unfinished_ = no_slab;
    next_sequence_ = 0;
    oldest_ = {};
  }
  /// `sequence` must be above all earlier ones. A batch without rows is complete at once.
  void open(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept {
    auto& entry = entries_[slab];
    entry.sequence = sequence;
    entry.rows = entry.unfinished = rows;
    entry.cursor = entry.lost = entry.faults = 0;
    entry.next = no_slab;
    std::fill(entry.done.begin(), entry.done.end(), false);
    (empty() ? front_ : entries_[back_].next) = slab;
    back_ = slab;
    if (unfinished_ == no_slab) unfinished_ = slab;
    next_sequence_ = sequence + 1;
    advance();
  }
  /// Marks a row as finished. Each row is finished once.
  void finish(SlabId slab, std::uint32_t row) noexcept {
    auto& entry = entries_[slab];
    entry.done[row] = true;
    --entry.unfinished;
    if (oldest_ == RowKey{entry.sequence, row}) advance();
  }
  /// Removes the oldest open batch.
  void close_front() noexcept {
    const auto next = entries_[front_].next;
    if (unfinished_ == front_) unfinished_ = next;
    front_ = next;
    advance();
  }

  const Entry& entry(SlabId slab) const noexcept { return entries_[slab]; }
  Entry& entry(SlabId slab) noexcept { return entries_[slab]; }
  bool empty() const noexcept { return front_ == no_slab; }
  SlabId front() const noexcept { return front_; }
  RowKey oldest() const noexcept { return oldest_; }

 private:
  void advance() noexcept {
    while (unfinished_ != no_slab && entries_[unfinished_].unfinished == 0)
      unfinished_ = entries_[unfinished_].next;
    if (unfinished_ == no_slab) {
      oldest_ = {next_sequence_, 0};
      return;
    }
    auto& entry = entries_[unfinished_];
    while (entry.done[entry.cursor]) ++entry.cursor;
    oldest_ = {entry.sequence, entry.cursor};
  }

  Grown<Entry> entries_;  ///< indexed by slab
  SlabId front_ = no_slab, back_ = no_slab;
  SlabId unfinished_ = no_slab;  ///< the first open batch with an unfinished row
  std::uint64_t next_sequence_ = 0;
  RowKey oldest_{};
};

}  // namespace weir::books
