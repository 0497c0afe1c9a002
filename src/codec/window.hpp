#pragma once

#include <cstdint>

#include "codec/geometry.hpp"
#include "weir/image.hpp"

namespace weir::codec {

/// Which rectangle of the upright image becomes which rectangle of the row. It is chosen once for a
/// row, from the header; the plan of the decode follows from it.
struct Window {
  Rect source;        ///< in the image, after its EXIF orientation (unless ignored)
  Rect target;        ///< in the row; the rest of the row is zero
  bool flip = false;  ///< mirror horizontally
  friend bool operator==(const Window&, const Window&) = default;
};

struct FitSpec {
  ImageSize out{224, 224};  ///< size of the row
  Fit fit = Fit::center;
  std::uint32_t short_side = 256;  ///< resolved value for Fit::center
  Rect into{};  ///< if not empty: resize the whole image to this part of `out`, whatever the fit
};

/// `image`: the upright size. `draw` is the random key of this sample; only Fit::random uses it.
/// Pure.
Window choose_window(ImageSize image, const FitSpec& spec, std::uint64_t draw);

/// The whole image as a row of its own size.
inline Window whole_window(ImageSize image) noexcept {
  const Rect all{0, 0, image.width, image.height};
  return {all, all, false};
}

}  // namespace weir::codec
