#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/geometry.hpp"
#include "codec/orientation.hpp"
#include "codec/resampler.hpp"
#include "weir/image.hpp"

namespace weir::codec {

inline constexpr std::size_t pixel_bytes = 3;

/// From a decoded rectangle to its place in a row of the slab.
struct Placement {
  Rect source;  ///< stored coordinates
  Orientation orientation;
  Rect target;  ///< output coordinates, upright
  Shape out;
  bool antialias = false;
  Part
      part{};  ///< of `source`, what becomes the target; the rest is decoded for the filter to look at

  /// Sides of the target as the stored image lies.
  std::uint32_t patch_width() const noexcept {
    return orientation.transpose ? target.height : target.width;
  }
  std::uint32_t patch_height() const noexcept {
    return orientation.transpose ? target.width : target.height;
  }
  bool resamples() const noexcept {
    return source.width != patch_width() || source.height != patch_height() || part.x != 0 ||
           part.y != 0;
  }
};

}  // namespace weir::codec
