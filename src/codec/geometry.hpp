#pragma once

#include <cstdint>

#include "weir/image.hpp"

namespace weir::codec {

/// A rectangle of whole pixels.
struct PixelRect {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const PixelRect&, const PixelRect&) = default;

  // NOLINTNEXTLINE(google-explicit-constructor): each is also a rectangle in continuous coordinates
  constexpr operator Rect() const noexcept {
    return {double{1} * x, double{1} * y, double{1} * width, double{1} * height};
  }
};

/// One of the eight mappings from a stored image to its upright form. Upright pixel (X, Y) is the
/// stored pixel (u, v). (u, v) is (Y, X) if transposed, otherwise (X, Y). A mirrored coordinate
/// counts from the opposite end.
struct Orientation {
  bool transpose = false, mirror_x = false, mirror_y = false;

  static constexpr Orientation of_exif(std::uint8_t orientation) noexcept {
    switch (orientation) {
      case 2: return {false, true, false};
      case 3: return {false, true, true};
      case 4: return {false, false, true};
      case 5: return {true, false, false};
      case 6: return {true, false, true};
      case 7: return {true, true, true};
      case 8: return {true, true, false};
      default: return {};
    }
  }

  /// This orientation, followed by a flip of the upright image.
  constexpr Orientation flipped(Flip flip) const noexcept {
    const bool across = flip.horizontal, down = flip.vertical;
    return transpose ? Orientation{true, mirror_x != down, mirror_y != across}
                     : Orientation{false, mirror_x != across, mirror_y != down};
  }
  constexpr bool identity() const noexcept { return !transpose && !mirror_x && !mirror_y; }

  /// The stored PixelRect or Rect of an upright one. `width` and `height` are the sides of the stored
  /// image.
  template <class Shape>
  constexpr Shape stored(const Shape& upright, std::uint32_t width,
                         std::uint32_t height) const noexcept {
    Shape r = transpose ? Shape{upright.y, upright.x, upright.height, upright.width} : upright;
    if (mirror_x) r.x = width - r.x - r.width;
    if (mirror_y) r.y = height - r.y - r.height;
    return r;
  }

  friend bool operator==(const Orientation&, const Orientation&) = default;
};

}  // namespace weir::codec
