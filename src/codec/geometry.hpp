#pragma once

#include <cstdint>

namespace weir::codec {

struct Rect {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
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

  /// This orientation, followed by a horizontal flip of the upright image.
  constexpr Orientation flipped() const noexcept {
    return transpose ? Orientation{true, mirror_x, !mirror_y}
                     : Orientation{false, !mirror_x, mirror_y};
  }
  constexpr bool identity() const noexcept { return !transpose && !mirror_x && !mirror_y; }

  /// The stored rectangle of an upright one. `width` and `height` are the sides of the stored
  /// image.
  constexpr Rect stored(const Rect& upright, std::uint32_t width,
                        std::uint32_t height) const noexcept {
    Rect r = transpose ? Rect{upright.y, upright.x, upright.height, upright.width} : upright;
    if (mirror_x) r.x = width - r.x - r.width;
    if (mirror_y) r.y = height - r.y - r.height;
    return r;
  }

  friend bool operator==(const Orientation&, const Orientation&) = default;
};

}  // namespace weir::codec
