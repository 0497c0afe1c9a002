// Rows of a loader that keeps samples from epoch to epoch.
#include <algorithm>
#include <cstring>

#include "engine/row_work.hpp"

namespace weir::engine {

bool RowWork::find_kept() noexcept {
  if (!core_.cache) return false;
  Sample& s = sample();
  s.kept = core_.cache->find(s.index);
  if (!s.kept) return false;
  const auto kept = s.kept.sample();
  if (keeps(Cache::decoded) && sizes_differ_ &&
      kept.size != scaled_within(kept.size, core_.pool->slab(s.slab).places()[s.row.row])) {
    s.kept.release();  // it stands in for a smaller one, and has to be scaled into that one's place
    return false;
  }
  core_.cache->count(true);
  s.bytes = kept.bytes;
  s.second = kept.second;
  s.side = kept.side;
  s.label = kept.label;
  s.charged = kept.charged;
  s.has_bytes = true;
  return true;
}

void RowWork::keep(RowStatus status) noexcept {
  Sample& s = sample();
  if (!core_.cache || s.kept) return;
  if (keeps(Cache::encoded)) {
    core_.cache->keep({.index = s.index,
                       .label = s.label,
                       .charged = s.charged,
                       .status = status,
                       .size = {},
                       .bytes = s.bytes,
                       .second = s.second,
                       .side = s.side});
    return;
  }
  // Scaled into the place of another: not what it is by itself.
  if (sizes_differ_ &&
      size_ != scaled_within((*shared_.plan.size_index)[s.index], core_.plan.sizes.bound))
    return;
  const auto row = row_view();
  const auto& slab = core_.pool->slab(s.slab);
  core_.cache->keep(
      {.index = s.index,
       .label = s.label,
       .charged = s.charged,
       .status = status,
       .size = {row.shape.height, row.shape.width},
       .bytes = std::as_bytes(std::span(row.data, static_cast<std::size_t>(row.shape.values()))),
       .second = {},
       .side = slab.side(s.row.row, 1)},
      row);
}

void RowWork::deliver_kept() noexcept {
  const Sample& s = sample();
  const auto kept = s.kept.sample();
  auto& slab = core_.pool->slab(s.slab);
  size_ = kept.size;
  const auto row = row_view();
  const auto line = std::size_t{kept.size.width} * row.shape.channels;
  const auto room = slab.pixels(s.row.row, 1);
  // What lies beside a smaller image in its block is zero.
  if (room.size() > kept.bytes.size()) std::ranges::fill(room, std::uint8_t{0});
  if (row.row_stride == line) {
    std::memcpy(row.data, kept.bytes.data(), kept.bytes.size());
  } else {
    for (std::size_t y = 0; y < kept.size.height; ++y)
      std::memcpy(row.data + y * row.row_stride, kept.bytes.data() + y * line, line);
  }
  std::ranges::copy(kept.side, slab.side(s.row.row, 1).begin());
  slab.labels()[s.row.row] = kept.label;
  finish(true, s.attempt > 0 ? RowStatus::replaced : kept.status);
}

}  // namespace weir::engine
