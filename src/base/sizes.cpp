#include "weir/rows.hpp"

#include <algorithm>

namespace weir {
namespace {

/// Computes round(a * b / c), rounding halves up, at least 1.
std::uint32_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) noexcept {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (2 * a * b + c) / (2 * c)));
}

}  // namespace

ImageSize scaled_within(ImageSize size, ImageSize bound) noexcept {
  const auto [height, width] = size;
  if (height == 0 || width == 0) return {};
  if (bound.height == 0) bound.height = UINT32_MAX;
  if (bound.width == 0) bound.width = UINT32_MAX;
  if (height <= bound.height && width <= bound.width) return size;
  // Scales by the side that exceeds its bound by the larger factor.
  const bool by_height = std::uint64_t{height} * bound.width >= std::uint64_t{width} * bound.height;
  return by_height ? ImageSize{bound.height, scaled(width, bound.height, height)}
                   : ImageSize{scaled(height, bound.width, width), bound.width};
}

}  // namespace weir
