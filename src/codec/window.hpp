#pragma once

#include <cstdint>

#include "codec/geometry.hpp"
#include "weir/image.hpp"
#include "weir/rows.hpp"

namespace weir::codec {

/// What a row shows of one file: a window, without the pixels that are outside the row or the file.
struct Crop {
  Rect source;  ///< in the upright file; its edges may be up to half a pixel of the row outside
  PixelRect target;  ///< in the row; the rest of the row is fill
  Flip flip{};       ///< mirrored at the edges of the target
  friend bool operator==(const Crop&, const Crop&) = default;
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
  PixelRect
      into{};  ///< if not empty: resize the whole image to this part of `out`, whatever the fit
};

/// `image`: the upright size. `draw` is the random key of this sample. The window is empty if the
/// image is smaller than a patch that must be inside it. Pure.
Window choose_window(ImageSize image, const FitSpec& spec, std::uint64_t draw);

/// What `window` shows of a file of the size `file`, the image itself or a plane with this scale. A
/// pixel of the row is in the target if its centre is in the scaled target of the window and in the
/// file, or at an edge of them. The target is empty if no pixel is. `exact`: a length in the image is
/// `scale` times as long in the file. Otherwise the file shows the image from edge to edge. Pure.
Crop crop_of(const Window& window, ImageSize file, Ratio scale = {}, bool exact = false) noexcept;

}  // namespace weir::codec
