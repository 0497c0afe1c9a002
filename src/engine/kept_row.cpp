#include "engine/kept_row.hpp"

#include "base/checked.hpp"

namespace weir::engine {

bool find_kept(Core& core, Sample& s) noexcept {
  if (!core.cache) return false;
  s.kept = core.cache->find(s.index);
  if (!s.kept) return false;
  const auto kept = s.kept.sample();
  // Another loader with a larger bound may have kept it. Reading it again gives the fault.
  bool fits = kept.charged <= core.plan.max_sample_bytes;
  if (core.cache->kind() == Cache::decoded && s.slot.sizes_differ()) {
    const auto room = s.slot.room();
    // A sample that replaces a smaller one must be scaled to that one's extent. The row's own sample
    // has the measured size.
    fits = fits && kept.size == (s.attempt == 0 ? room : scaled_within(kept.size, room));
  }
  if (!fits) {
    s.kept.release();
    return false;
  }
  ++core.cache_hits;
  s.data = kept.data;
  s.charged = kept.charged;
  s.status = kept.status;
  return true;
}

bool has_kept_row(const Core& core, const Sample& s) noexcept {
  return s.kept && core.cache->kind() == Cache::decoded;
}

void keep(const Shared& shared, const Sample& s, const codec::MemoryNeed& need) noexcept {
  auto& core = shared.core;
  if (!core.cache || s.kept) return;
  buffer::KeptSample kept{
      .index = s.index, .data = s.data, .charged = s.charged, .status = s.status};
  if (core.cache->kind() == Cache::encoded) return core.cache->keep(kept);
  kept.charged = add_sat(s.charged, add_sat(need.scratch, need.reserved));
  const auto row = s.slot.image();
  kept.size = {row.shape.height, row.shape.width};
  // The image was scaled to the extent of another sample, so it is not this sample's own row.
  if (s.slot.sizes_differ() &&
      kept.size != scaled_within((*shared.plan.size_index)[s.index], core.plan.sizes.bound))
    return;
  const std::span pixels(row.data, static_cast<std::size_t>(row.shape.values()));
  kept.data = {.bytes = std::as_bytes(pixels), .label = s.data.label, .side = s.slot.side()};
  core.cache->keep(kept, row);
}

}  // namespace weir::engine
