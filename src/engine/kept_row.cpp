#include "engine/kept_row.hpp"

namespace weir::engine {

bool find_kept(Core& core, Sample& s) noexcept {
  if (!core.cache) return false;
  s.kept = core.cache->find(s.index);
  if (!s.kept) return false;
  const auto kept = s.kept.sample();
  if (core.cache->kind() == Cache::decoded && s.slot.sizes_differ() &&
      kept.size != scaled_within(kept.size, s.slot.room())) {
    s.kept.release();  // it replaces a smaller sample and must be scaled to that one's extent
    return false;
  }
  core.cache->count(true);
  s.data = kept.data;
  s.charged = kept.charged;
  s.status = kept.status;
  return true;
}

bool has_kept_row(const Core& core, const Sample& s) noexcept {
  return s.kept && core.cache->kind() == Cache::decoded;
}

void keep(const Shared& shared, const Sample& s) noexcept {
  auto& core = shared.core;
  if (!core.cache || s.kept) return;
  buffer::KeptSample kept{
      .index = s.index, .data = s.data, .charged = s.charged, .status = s.status};
  if (core.cache->kind() == Cache::encoded) return core.cache->keep(kept);
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
