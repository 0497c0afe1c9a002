#pragma once

#include <optional>
#include <string>

#include "base/defect.hpp"
#include "codec/bytes.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

// Parsers of what comes before the pixels: Format::read_header.

/// Walks the further scans of a file that has several, to count them. In lenient mode a marker that
/// was wiped out makes the image `damaged` instead of a Defect.
Result<ImageInfo> read_jpeg_header(Bytes encoded, const DecodeLimits& limits, bool strict);

/// Whether the rest of a JPEG, from anywhere behind SOS on, comes to an EOI. `pending`: a marker that
/// was read already, 0 for none.
bool jpeg_reaches_end(Bytes rest, std::uint8_t pending) noexcept;

/// Walks every chunk: libpng would allocate by the length that a chunk claims. In lenient mode a
/// file cut behind its first IDAT is `damaged` instead of a Defect; likewise for WebP.
Result<ImageInfo> read_png_header(Bytes encoded, const DecodeLimits& limits, bool strict);
Result<ImageInfo> read_webp_header(Bytes encoded, const DecodeLimits& limits, bool strict);

/// Of a file that `codec` accepts.
Result<ImageInfo> read_foreign_header(Bytes encoded, const ForeignCodec& codec);

/// Where the size is above a limit.
std::optional<Defect> exceeded(const ImageInfo& info, const DecodeLimits& limits);

/// The orientation 1-8 in the first directory of a TIFF block ("II*\0" or "MM\0*"); 1 where there
/// is none or the block is broken, since a picture with bad metadata is still a picture.
std::uint8_t exif_orientation(Bytes tiff) noexcept;

inline Defect corrupt_at(std::uint64_t offset, std::string reason) {
  return {FaultKind::corrupt, Stage::decode, std::move(reason), offset};
}
inline Defect truncated_at(std::uint64_t offset, std::string reason) {
  return {FaultKind::truncated, Stage::decode, std::move(reason), offset};
}
inline Defect unsupported(std::string reason) {
  return {FaultKind::unsupported, Stage::decode, std::move(reason)};
}
inline Defect over_limit(std::string reason) {
  return {FaultKind::limit, Stage::decode, std::move(reason)};
}

}  // namespace weir::codec
