#include "base/checked.hpp"
#include "weir/rows.hpp"

namespace weir {

ImageSize scaled_within(ImageSize size, ImageSize bound) noexcept {
  const auto [height, width] = size;
  if (height == 0 || width == 0) return {};
  if (bound.height == 0) bound.height = UINT32_MAX;
  if (bound.width == 0) bound.width = UINT32_MAX;
  if (height <= bound.height && width <= bound.width) return size;
  // Scales by the side that exceeds its bound by the larger factor.
  const bool by_height = std::uint64_t{height} * bound.width >= std::uint64_t{width} * bound.height;
  return by_height ? ImageSize{bound.height, scaled_side(width, bound.height, height)}
                   : ImageSize{scaled_side(height, bound.width, width), bound.width};
}

}  // namespace weir
