#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/geometry.hpp"
#include "codec/orientation.hpp"
#include "codec/resampler.hpp"
#include "weir/image.hpp"

namespace weir::codec {

inline constexpr std::size_t pixel_bytes = 3;

/// The mapping from a decoded rectangle to a part of a row of the slab.
struct Placement {
  Rect source;  ///< stored coordinates
  Orientation orientation;
  Rect target;  ///< output coordinates, upright
  Shape out;
  bool antialias = false;
  Part
      /// Part of `source` that becomes the target; the filter also reads the pixels around it.
      part{};

  /// Width of the target in the orientation of the stored image.
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
