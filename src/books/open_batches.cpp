#include "books/open_batches.hpp"

#include <algorithm>

namespace weir::books {

OpenBatches::Piece OpenBatches::piece(std::uint32_t slabs, std::uint32_t batch) {
  Piece piece(slabs);
  for (auto& entry : piece) entry.done.resize(batch);
  return piece;
}

void OpenBatches::restart() noexcept {
  front_ = back_ = unfinished_ = no_slab;
  next_sequence_ = 0;
  oldest_ = {};
}

void OpenBatches::open(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept {
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

void OpenBatches::finish(SlabId slab, std::uint32_t row) noexcept {
  auto& entry = entries_[slab];
  entry.done[row] = true;
  --entry.unfinished;
  if (oldest_ == RowKey{entry.sequence, row}) advance();
}

void OpenBatches::close_front() noexcept {
  const auto next = entries_[front_].next;
  if (unfinished_ == front_) unfinished_ = next;
  front_ = next;
  advance();
}

void OpenBatches::advance() noexcept {
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

}  // namespace weir::books
