#pragma once

#include <cstdint>
#include <string>

#include "codec/bytes.hpp"
#include "weir/error.hpp"

namespace weir::imgcodecs {

struct Size {
  std::uint32_t width = 0, height = 0;
};

// Bounded like weir's own header parsers. They throw SampleError.

Size read_bitmap_header(codec::Bytes encoded);
Size read_netpbm_header(codec::Bytes encoded);
/// First directory only; classic TIFF.
Size read_tiff_header(codec::Bytes encoded);

inline void require(bool holds, FaultKind kind, const char* reason) {
  if (!holds) throw SampleError(kind, reason);
}

}  // namespace weir::imgcodecs
