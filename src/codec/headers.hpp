#pragma once

#include <optional>
#include <string>

#include "base/defect.hpp"
#include "codec/bytes.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

// Parsers of the bytes before the pixels, for Format::read_header.

/// Counts the additional scans of a file with several. In lenient mode a marker that was
/// overwritten makes the image `damaged` instead of a Defect.
Result<ImageInfo> read_jpeg_header(Bytes encoded, const DecodeLimits& limits, bool strict);

/// Whether the rest of a JPEG reaches an EOI. `rest` begins anywhere after SOS. `pending` is a
/// marker that was already read; 0 for none.
bool jpeg_reaches_end(Bytes rest, std::uint8_t pending) noexcept;

/// Visits every chunk, because libpng would allocate the length that a chunk states. In lenient
/// mode a file that ends after its first IDAT is `damaged` instead of a Defect. The same holds for
/// WebP.
Result<ImageInfo> read_png_header(Bytes encoded, const DecodeLimits& limits, bool strict);
Result<ImageInfo> read_webp_header(Bytes encoded, const DecodeLimits& limits, bool strict);

/// For a file that `codec` accepts.
Result<ImageInfo> read_foreign_header(Bytes encoded, const ForeignCodec& codec);

/// Checks the size against the limits.
std::optional<Defect> exceeded(const ImageInfo& info, const DecodeLimits& limits);

/// The orientation 1-8 in the first directory of a TIFF block ("II*\0" or "MM\0*"). 1 if there is
/// none or the block is broken, because bad metadata do not make the image bad.
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
