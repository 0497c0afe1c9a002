#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "weir/export.hpp"

namespace weir {

/// Extent of an image: rows, columns, interleaved channels (always 3, RGB, in a batch).
struct Shape {
  std::uint32_t height = 224;  ///< rows
  std::uint32_t width = 224;   ///< columns
  std::uint32_t channels = 3;  ///< values a pixel
  /// By height, then width, then channels.
  friend auto operator<=>(const Shape&, const Shape&) = default;
  /// height · width · channels, in 64 bits.
  constexpr std::uint64_t values() const noexcept {
    return std::uint64_t{height} * width * channels;
  }
};

/// Non-owning view of one image: HWC, uint8, RGB.
struct ImageView {
  const std::uint8_t* data = nullptr;  ///< the first pixel's red
  Shape shape;                         ///< what lies there
  std::size_t row_stride = 0;          ///< bytes from one row to the next
};

/// The same, to be written.
struct MutableImageView {
  std::uint8_t* data = nullptr;  ///< the first pixel's red
  Shape shape;                   ///< what lies there
  std::size_t row_stride = 0;    ///< bytes from one row to the next
  /// The same, to be read.
  // NOLINTNEXTLINE(google-explicit-constructor): what can be written can be read
  operator ImageView() const noexcept { return {data, shape, row_stride}; }
};

/// One encoded sample. Its bytes lie in what take() gave or in memory the source owns for as long
/// as it lives (then they are part of index_bytes()).
struct Encoded {
  std::span<const std::byte>
      bytes;               ///< in a format that weir reads, or that one of Options::codecs accepts
  std::int64_t label = 0;  ///< for Batch::labels; any number
  /// A second image that goes with the first, decoded for the transform (DecodedSample::second). A
  /// loader without a transform has no place for it: a fault of kind `unsupported`.
  std::span<const std::byte> second{};
  /// What the row's side bytes begin as: Options::side_bytes of them, or none (zeros). Any other number
  /// is a fault of kind `corrupt`.
  std::span<const std::byte> side{};
};

/// How an image of any size becomes height x width.
enum class Fit : std::uint8_t {
  /// The centred rectangle of sides round(H·s) x round(W·s), s = shorter side / Options::short_side.
  center,
  random,     ///< scale 0.08-1 of the area, aspect 3/4-4/3, flipped horizontally half the time
  stretch,    ///< the whole image, aspect ignored; identity where the sizes agree
  letterbox,  ///< the whole image, aspect kept, centred on zeros
};

/// How much of a JPEG's detail is decoded.
enum class Decode : std::uint8_t {
  exact,  ///< every pixel as libjpeg decodes it
  /// A JPEG that becomes much smaller is decoded at 1/2, 1/4 or 1/8 of its size, where that is still as
  /// large as the output; other pixels, close by.
  fast,
};

/// What becomes of an EXIF orientation.
enum class Exif : std::uint8_t {
  apply,   ///< the image is turned upright
  ignore,  ///< it is delivered as stored
};

/// What a row of a batch holds.
enum class RowStatus : std::uint8_t {
  ok,        ///< the sample that was drawn for it
  damaged,   ///< lenient mode: the decoder warned, the pixels are what it gave
  replaced,  ///< OnFault::skip: another sample, named by indices()
  blank,     ///< OnFault::blank: zeros
};

}  // namespace weir
