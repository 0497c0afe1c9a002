#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace weir {

/// Extent of an image: rows, columns, interleaved channels (always 3, RGB, in a batch).
struct Shape {
  std::uint32_t height = 224, width = 224, channels = 3;
  friend auto operator<=>(const Shape&, const Shape&) = default;
  constexpr std::uint64_t values() const noexcept {
    return std::uint64_t{height} * width * channels;
  }
};

/// Non-owning view of one image: HWC, uint8, RGB.
struct ImageView {
  const std::uint8_t* data = nullptr;
  Shape shape;
  std::size_t row_stride = 0;  ///< bytes from one row to the next
};

/// The same, to be written.
struct MutableImageView {
  std::uint8_t* data = nullptr;
  Shape shape;
  std::size_t row_stride = 0;
  // NOLINTNEXTLINE(google-explicit-constructor): what can be written can be read
  operator ImageView() const noexcept { return {data, shape, row_stride}; }
};

/// How an image of any size becomes height x width.
///   center     the centred rectangle of sides round(H*s) x round(W*s), s = shorter side / short_side
///   random     scale 0.08-1 of the area, aspect 3/4-4/3, flipped horizontally half the time
///   stretch    the whole image, aspect ignored; identity where the sizes agree
///   letterbox  the whole image, aspect kept, centred on zeros
enum class Fit : std::uint8_t { center, random, stretch, letterbox };

/// exact: every pixel as libjpeg decodes it. fast: a JPEG that becomes much smaller is decoded at 1/2,
/// 1/4 or 1/8 of its size, where that is still as large as the output; other pixels, close by.
enum class Decode : std::uint8_t { exact, fast };

/// apply: turn the image upright by its EXIF orientation. ignore: deliver it as stored.
enum class Exif : std::uint8_t { apply, ignore };

/// What a row of a batch holds.
enum class RowStatus : std::uint8_t {
  ok,
  damaged,   ///< lenient mode: the decoder warned, the pixels are what it gave
  replaced,  ///< OnFault::skip: another sample, named by indices()
  blank,     ///< OnFault::blank: zeros
};

}  // namespace weir
