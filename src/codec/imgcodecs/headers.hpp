#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "codec/bytes.hpp"
#include "weir/error.hpp"

namespace weir::imgcodecs {

struct Header {
  std::uint32_t width = 0, height = 0;
  /// Maximum that OpenCV and its library allocate for this header.
  std::uint64_t bytes = 0;
  /// The largest value with IMREAD_ANYDEPTH: above 255 in 16 bits, else in 8. 0: OpenCV changes the
  /// values or misreads them.
  std::uint32_t most = 255;
  /// Whether these are the values of one channel in the file, neither looked up nor inverted nor
  /// lossy.
  bool stored = false;
  /// Why OpenCV's image of 8 bits is wrong or missing. Null: it is right.
  const char* narrow_defect = nullptr;
  /// Why OpenCV may be unable to decode a sound file of this kind. Null: no reason is known.
  const char* undecoded = nullptr;
  /// Bytes of the file that must be 1 for OpenCV, or it turns the image, or multiplies its colours by
  /// alpha. 0: none.
  std::array<std::size_t, 2> ones{};
};

// Parsers with bounds, like weir's own. They throw SampleError. OpenCV parses the same header again
// and allocates by its own result. So the parsers reject headers that OpenCV or libtiff could read
// differently.

Header read_bitmap_header(codec::Bytes encoded);
Header read_netpbm_header(codec::Bytes encoded);
/// Reads only the first directory, and only classic TIFF.
Header read_tiff_header(codec::Bytes encoded);

inline void require(bool holds, FaultKind kind, const char* reason) {
  if (!holds) throw SampleError(kind, reason);
}

/// For decoders that work line by line: OpenCV's image and one line with up to 16 bits and 4
/// channels.
inline Header line_by_line(std::uint32_t width, std::uint32_t height,
                           std::uint32_t image_pixel_bytes = 3) {
  return {width, height,
          std::uint64_t{width} * height * image_pixel_bytes + std::uint64_t{width} * 8};
}

}  // namespace weir::imgcodecs
