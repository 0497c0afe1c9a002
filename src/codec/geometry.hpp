#pragma once

#include <cstdint>

#include "weir/image.hpp"

namespace weir::codec {

struct Rect {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// What of an upright image goes where in the output.
struct Window {
  Rect source;        ///< in the image, EXIF orientation already applied (or ignored)
  Rect target;        ///< in the output; what it does not cover is zero
  bool flip = false;  ///< mirror horizontally
  friend bool operator==(const Window&, const Window&) = default;
};

struct FitSpec {
  Shape out{};
  Fit fit = Fit::center;
  std::uint32_t short_side = 256;  ///< resolved, for Fit::center
  Rect into{};  ///< not empty: the whole image, resized to this part of `out`, whatever the fit
};

/// `draw`: the key of this sample's random stream, used by Fit::random alone.
Window window(std::uint32_t width, std::uint32_t height, const FitSpec& spec, std::uint64_t draw);

}  // namespace weir::codec
