#pragma once

#include <cstdint>

#include "weir/image.hpp"

namespace weir::codec {

struct Rect {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
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
