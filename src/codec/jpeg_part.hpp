#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "codec/format.hpp"

namespace weir::codec {

/// The part of a JPEG that a window needs, as an image of its own. It consists of whole segments:
/// the bytes between two restart markers, which decode without those before them.
struct JpegPart {
  ImageInfo info;           ///< of the part as an image
  std::uint32_t left, top;  ///< where it begins, in pixels of the image after reduction
  std::uint32_t of;         ///< segments of the whole file
  std::uint32_t first;      ///< segment
  std::uint32_t runs, run;  ///< number of runs, and of consecutive segments in each
  std::uint32_t step;       ///< segments from the begin of a run to that of the next

  /// Offsets in the list of segments: where each segment of a run begins, and where the last ends.
  std::size_t offsets() const noexcept { return std::size_t{runs} * (std::size_t{run} + 1); }
};

/// The part with the pixels of `area` and those around that libjpeg-turbo reads for them. `area`: in
/// pixels of the image after reduction; its left edge is that of an MCU. Nothing if the image has
/// no restart interval that helps, or if the part would save too little. Pure.
std::optional<JpegPart> jpeg_part(const ImageInfo& info, const PixelRect& area,
                                  std::uint32_t reduce) noexcept;

/// MCUs in a row of a JPEG.
std::uint32_t jpeg_mcus_across(const ImageInfo& info) noexcept;

/// Restart intervals in each row of MCUs at which a window can begin; at least 1 if windows can begin
/// at rows. 0 for other formats and for images of one segment.
std::uint32_t tiles_across(const ImageInfo& info) noexcept;

/// Number of segments of an image with a restart interval.
std::uint64_t jpeg_segments(const ImageInfo& info) noexcept;

/// Memory for the list of segments of any part, so that no part needs more than the whole image. 0
/// without a restart interval.
std::uint64_t jpeg_list_bytes(const ImageInfo& info) noexcept;

/// A part as the bytes of a JPEG file, in pieces: the file's header with the size of the part, then
/// its segments with restart markers in order, then EOI. The pieces refer to the file.
class JpegPieces {
 public:
  /// `list` has part.offsets() elements. Nothing if the markers after the header are not exactly
  /// the restart markers of the whole image, in order, and EOI, or if a segment is empty. The result
  /// refers to all three.
  static std::optional<JpegPieces> find(Bytes file, const JpegPart& part,
                                        std::span<std::uint32_t> list) noexcept;

  /// No piece is empty. After the last one, the result is.
  std::span<const std::byte> next() noexcept;

 private:
  JpegPieces(Bytes file, const JpegPart& part, std::span<const std::uint32_t> list) noexcept;

  Bytes file_;
  const JpegPart& part_;
  std::span<const std::uint32_t> list_;
  std::array<std::byte, 4> size_;
  std::size_t given_ = 0;
};

}  // namespace weir::codec
