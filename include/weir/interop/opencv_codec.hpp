#pragma once

#include <memory>

#include "weir/codec.hpp"
#include "weir/export.hpp"

namespace weir {

/// Decodes BMP, TIFF and PNM (P1-P6) with OpenCV's imgcodecs, for Options::codecs. It is a separate
/// library, weir::opencv_codec (CMake component `opencv_codec`), because imgcodecs needs more than
/// a hundred shared libraries. It rejects all other formats, also because OpenCV writes temporary
/// files for some. It drops alpha, leaves colours as stored, and ignores orientation tags. OpenCV
/// would apply both to a TIFF, so it gets a changed copy of the file. Formats of 8 bits get the
/// high byte of 16 bits, rounded if a TIFF has separate planes. rgb8 and bgr8 of P2 and P3 with a
/// largest value below 255 are scaled and rounded down. grey16 and rgb16 get 16 bits of TIFFs and
/// PNM, and 8 bits times 257. stored16 gets grey values. Any thread.
///
/// Throws SampleError. `unsupported`: images without 1, 3 or 4 channels; kinds and numbers of bits
/// that OpenCV does not read; values that OpenCV would change on their way to the format (as those
/// of a PGM up to 4095 in 8 bits); floating-point and signed values; BMPs of 32 bits whose masks are
/// not those of BGR, because OpenCV ignores masks; TIFFs with LZMA, Zstandard, WebP and similar
/// compression, because their headers do not state the required memory. `limit`: tiles larger than
/// both their image and 4096 x 4096. `corrupt`: otherwise. OpenCV reports a damaged strip or tile of
/// a compressed TIFF only where it keeps 16 bits; others are delivered with wrong pixels.
WEIR_API std::shared_ptr<const ForeignCodec> opencv_codec();

}  // namespace weir
