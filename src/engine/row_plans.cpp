#include "engine/row_plans.hpp"

#include "base/checked.hpp"

namespace weir::engine {

codec::MemoryNeed RowPlans::need() const noexcept {
  codec::MemoryNeed work;
  for (const auto& plan : plans_) work.cover(plan.work);
  return {add_sat(plans_.back().images_end(), work.scratch), work.reserved};
}

std::uint32_t RowPlans::largest(std::span<const RowSample> samples) const noexcept {
  const auto bytes = [&](std::uint32_t number) {
    const auto& plan = plans_[number];
    return add_sat(add_sat(samples[number].charged, plan.image_bytes),
                   add_sat(plan.work.scratch, plan.work.reserved));
  };
  std::uint32_t most = 0;
  for (std::uint32_t number = 1; number < plans_.size(); ++number)
    if (bytes(number) > bytes(most)) most = number;
  return most;
}

MutableImageView RowPlans::image(const RowPlan& plan, const PlannedPlane& image,
                                 std::span<std::byte> scratch) noexcept {
  const auto& [shape, format] = std::pair(image.decode.out(), image.decode.placement.format);
  return {reinterpret_cast<std::uint8_t*>(scratch.data() + plan.images_begin + image.offset), shape,
          std::size_t{shape.width} * pixel_bytes(format), format};
}

}  // namespace weir::engine
