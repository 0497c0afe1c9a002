#pragma once

#include <cstdint>
#include <string>

#include "codec/bytes.hpp"
#include "weir/error.hpp"

namespace weir::imgcodecs {

struct Header {
  std::uint32_t width = 0, height = 0;
  /// What OpenCV and the library below it allocate by what the header says, at most.
  std::uint64_t bytes = 0;
};

// Bounded like weir's own header parsers. They throw SampleError. OpenCV reads the same header again
// and allocates by what it finds, so where it, or libtiff, could find anything else they refuse.

Header read_bitmap_header(codec::Bytes encoded);
Header read_netpbm_header(codec::Bytes encoded);
/// First directory only; classic TIFF.
Header read_tiff_header(codec::Bytes encoded);

inline void require(bool holds, FaultKind kind, const char* reason) {
  if (!holds) throw SampleError(kind, reason);
}

/// Of a decoder that goes by lines: OpenCV's image, and a line at up to 16 bits and 4 channels.
inline Header line_by_line(std::uint32_t width, std::uint32_t height) {
  return {width, height, std::uint64_t{width} * height * 3 + std::uint64_t{width} * 8};
}

}  // namespace weir::imgcodecs
