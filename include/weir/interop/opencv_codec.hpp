#pragma once

#include <memory>

#include "weir/codec.hpp"
#include "weir/export.hpp"

namespace weir {

/// BMP, TIFF and PNM (P1-P6) through OpenCV's imgcodecs, for Options::codecs. In a library of its
/// own, weir::opencv_codec (CMake component `opencv_codec`), since imgcodecs brings more than a
/// hundred shared libraries. Formats for which OpenCV writes temporary files are refused, as is
/// every other that is not named here. Alpha is dropped, 16 bits become 8, orientation tags are
/// ignored. Throws SampleError: unsupported for what these formats hold beyond images of 1, 3 or 4
/// channels and for TIFFs in LZMA, Zstandard, WebP and the like, whose memory no header tells; limit
/// for tiles larger than their image and than 4096 x 4096; corrupt for the rest. Safe to call from
/// many threads.
WEIR_API std::shared_ptr<const ForeignCodec> opencv_codec();

}  // namespace weir
