#pragma once

#include <memory>

#include "weir/codec.hpp"
#include "weir/export.hpp"

namespace weir {

/// Decodes BMP, TIFF and PNM (P1-P6) with OpenCV's imgcodecs, for Options::codecs. It is a separate
/// library, weir::opencv_codec (CMake component `opencv_codec`), because imgcodecs needs more than
/// a hundred shared libraries. It rejects all other formats, also because OpenCV writes temporary
/// files for some. It drops alpha, reduces 16 bits to 8 and ignores orientation tags. Throws
/// SampleError: `unsupported` for images without 1, 3 or 4 channels, and for TIFFs with LZMA,
/// Zstandard, WebP and similar compression, because their headers do not state the required memory;
/// `limit` for tiles larger than both their image and 4096 x 4096; `corrupt` otherwise. Any thread.
WEIR_API std::shared_ptr<const ForeignCodec> opencv_codec();

}  // namespace weir
