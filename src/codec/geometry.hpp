#pragma once

#include <cstdint>

#include "weir/image.hpp"

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

/// A source rectangle of an upright image and its target in the output.
struct CropView {
  Rect source;        ///< in the image, after its EXIF orientation (unless ignored)
  Rect target;        ///< in the output; the rest of the output is zero
  bool flip = false;  ///< mirror horizontally
  friend bool operator==(const CropView&, const CropView&) = default;
};

struct FitSpec {
  Shape out{};
  Fit fit = Fit::center;
  std::uint32_t short_side = 256;  ///< resolved value for Fit::center
  Rect into{};  ///< if not empty: resize the whole image to this part of `out`, whatever the fit
};

/// `draw` is the random key of this sample; only Fit::random uses it.
CropView crop_view(std::uint32_t width, std::uint32_t height, const FitSpec& spec,
                   std::uint64_t draw);

}  // namespace weir::codec
