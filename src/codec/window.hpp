#pragma once

#include <cstdint>

#include "codec/geometry.hpp"
#include "weir/fit.hpp"
#include "weir/image.hpp"
#include "weir/planes.hpp"

namespace weir::codec {

/// Which rectangle of the upright image becomes which rectangle of the row. It is chosen once for a
/// row, from the header; the plan of the decode follows from it.
struct Window {
  Area source;  ///< in the image, after its EXIF orientation (unless ignored)
  Rect target;  ///< in the row; the rest of the row is fill
  Flip flip{};  ///< mirrored at the edges of the target
  friend bool operator==(const Window&, const Window&) = default;
};

struct FitSpec {
  ImageSize out{224, 224};  ///< size of the row
  Fit fit = Fit::center;
  std::uint32_t short_side = 256;  ///< resolved value for Fit::center
  FlipOptions flip{};
  RandomOptions random{};
  PatchOptions patch{};
  std::uint32_t grid = 1;  ///< the patch's edges are multiples of it
  LetterboxOptions letterbox{};
  Rect into{};  ///< if not empty: resize the whole image to this part of `out`, whatever the fit
};

/// `image`: the upright size. `draw` is the random key of this sample. The target is empty if the
/// image is smaller than a patch that must be inside it. Pure.
Window choose_window(ImageSize image, const FitSpec& spec, std::uint64_t draw);

/// The whole image as a row of its own size.
inline Window whole_window(ImageSize image) noexcept {
  const Rect all{0, 0, image.width, image.height};
  return {all, all, {}};
}

/// What `window`, chosen for an image of the size `image` and a row of the size `row`, shows of a
/// plane whose file has the size `plane`. A pixel of the plane is in the target if its centre is in
/// the scaled target of the image. The target is empty if no pixel is.
Window plane_window(const Window& window, ImageSize image, ImageSize plane, Ratio scale) noexcept;

}  // namespace weir::codec
