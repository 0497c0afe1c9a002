#include "books/open_batches.hpp"

#include <algorithm>

namespace weir::books {

OpenBatches::OpenBatches(std::uint32_t slabs, std::uint32_t batch)
    : entries_(slabs), order_(slabs) {
  for (auto& entry : entries_) entry.done.resize(batch);
}

void OpenBatches::restart(std::uint64_t sequence) noexcept {
  head_ = count_ = ended_ = 0;
  next_sequence_ = sequence;
  oldest_ = {sequence, 0};
}

void OpenBatches::open(SlabId slab, std::uint64_t sequence, std::uint32_t rows) noexcept {
  auto& entry = entries_[slab];
  entry.sequence = sequence;
  entry.rows = entry.unfinished = rows;
  entry.cursor = entry.lost = entry.faults = 0;
  std::fill(entry.done.begin(), entry.done.end(), false);
  order_[(head_ + count_) % order_.size()] = slab;
  ++count_;
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
  head_ = (head_ + 1) % static_cast<std::uint32_t>(order_.size());
  --count_;
  if (ended_ > 0) --ended_;
  advance();
}

void OpenBatches::advance() noexcept {
  while (ended_ < count_ && entries_[nth(ended_)].unfinished == 0) ++ended_;
  if (ended_ == count_) {
    oldest_ = {next_sequence_, 0};
    return;
  }
  auto& entry = entries_[nth(ended_)];
  while (entry.done[entry.cursor]) ++entry.cursor;
  oldest_ = {entry.sequence, entry.cursor};
}

}  // namespace weir::books
