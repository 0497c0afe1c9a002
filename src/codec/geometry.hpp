#pragma once

#include <cstdint>

namespace weir::codec {

struct Rect {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// A rectangle in continuous coordinates: pixel i covers [i, i + 1).
struct Area {
  double x = 0, y = 0, width = 0, height = 0;

  constexpr Area() noexcept = default;
  constexpr Area(double left, double top, double across, double down) noexcept
      : x(left), y(top), width(across), height(down) {}
  // NOLINTNEXTLINE(google-explicit-constructor): whole pixels are an area
  constexpr Area(const Rect& r) noexcept : Area(r.x, r.y, r.width, r.height) {}
  friend bool operator==(const Area&, const Area&) = default;

  /// The pixels of an area whose edges are those of pixels.
  constexpr Rect pixels() const noexcept {
    return {static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y),
            static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height)};
  }
};

/// Which sides are exchanged.
struct Flip {
  bool horizontal = false, vertical = false;
  friend bool operator==(const Flip&, const Flip&) = default;
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

  /// The stored Rect or Area of an upright one. `width` and `height` are the sides of the stored
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
