#include "weir/sizes.hpp"

#include <algorithm>

namespace weir {
namespace {

/// round(a * b / c), halves up.
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
  // Whichever side is the further above its bound.
  const bool by_height = std::uint64_t{height} * bound.width >= std::uint64_t{width} * bound.height;
  return by_height ? ImageSize{bound.height, scaled(width, bound.height, height)}
                   : ImageSize{scaled(height, bound.width, width), bound.width};
}

}  // namespace weir
