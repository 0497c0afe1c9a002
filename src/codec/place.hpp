#pragma once

#include <cstdint>
#include <span>

#include "codec/canvas.hpp"
#include "codec/turn.hpp"

namespace weir::codec {

/// From a decoded rectangle to its place in a row of the slab.
struct Placement {
  Rect source;  ///< stored coordinates
  Turn turn;
  Rect target;  ///< output coordinates, upright
  Shape out;

  /// Sides of the target as the stored image lies.
  std::uint32_t patch_width() const noexcept {
    return turn.transpose ? target.height : target.width;
  }
  std::uint32_t patch_height() const noexcept {
    return turn.transpose ? target.width : target.height;
  }
  bool resamples() const noexcept {
    return source.width != patch_width() || source.height != patch_height();
  }
  /// Memory for the resampled patch while it is still to be turned; 0 where it needs none.
  std::uint64_t patch_bytes() const noexcept {
    return !turn.identity() && resamples()
               ? target.width * std::uint64_t{target.height} * pixel_bytes
               : 0;
  }
  /// Most that cv::resize allocates by itself (OpenCV 4.6, resize.cpp: tables of offsets and
  /// coefficients, and for each stripe of 2^16 pixels two rows of int).
  std::uint64_t reserved_bytes() const noexcept {
    if (!resamples()) return 0;
    const std::uint64_t values = std::uint64_t{patch_width()} * pixel_bytes, rows = patch_height();
    const std::uint64_t stripes = 1 + patch_width() * rows / 65'536;
    return 12 * (values + rows) + stripes * 8 * (values + 16) + 4096;
  }
};

/// Writes the target. Bilinear as cv::resize INTER_LINEAR; an exact copy where nothing is resampled.
void place(const Placement& placement, const Canvas& canvas, std::uint8_t* patch,
           std::uint8_t* row);

/// Zeroes what of the row lies outside `target`.
void zero_around(const Rect& target, const Shape& out, std::uint8_t* row);

}  // namespace weir::codec
