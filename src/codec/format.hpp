#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/defect.hpp"
#include "base/text.hpp"
#include "codec/arena.hpp"
#include "codec/bytes.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

/// Memory for one rectangle of a stored image.
struct Canvas {
  std::uint8_t* pixels = nullptr;
  std::size_t stride = 0;
  PixelRect area;  ///< the rectangle
  PixelFormat format = PixelFormat::rgb8;

  bool holds_row(std::uint32_t y) const noexcept { return y >= area.y && y - area.y < area.height; }
  std::uint8_t* row(std::uint32_t y) const noexcept { return pixels + (y - area.y) * stride; }
  std::uint8_t* at(std::uint32_t x, std::uint32_t y) const noexcept {
    return row(y) + std::size_t{x - area.x} * pixel_bytes(format);
  }
};

struct DecodeJob {
  std::span<const std::byte> encoded;
  ImageInfo info;
  PixelRect source;  ///< required part of the stored image, after reduction
  Canvas canvas;     ///< empty if the decoder streams
  RowSink& sink;
  std::uint8_t* spare;
  Arena& arena;
  const DecodeLimits& limits;
  bool strict;
  const std::atomic<bool>& cancelled;
  PixelFormat native;        ///< CanvasNeed::native
  std::uint32_t reduce = 1;  ///< reduction of the decoded size: 1, 2, 4 or 8
  void* kept = nullptr;      ///< what Format::keep made for this worker
};

/// One row of the table of formats.
struct Format {
  std::string_view name;   ///< name in reports
  std::string_view magic;  ///< first bytes of a file, '.' for any byte; empty: see Options::codecs
  /// Takes time linear in the bytes that it reads. Allocates only the reason of a Defect. Checks
  /// every length.
  Result<ImageInfo> (*read_header)(Bytes encoded, const DecodeLimits& limits, bool strict);
  /// `source` is in coordinates of the image after reduction.
  /// `pixels`: of the row. CanvasNeed::native is this format or one that convert_pixels() takes.
  CanvasNeed (*need)(const ImageInfo& info, const PixelRect& source, std::uint32_t reduce,
                     PixelFormat pixels) noexcept;
  /// Decodes into job.canvas or job.sink. Returns `damaged` only if the job is not strict.
  Result<RowStatus> (*decode)(const DecodeJob& job);
  /// Why a file cannot be delivered in a format. Null: it can.
  const char* (*refuses)(const ImageInfo& info, PixelFormat pixels) noexcept;
  /// Whether the decoder can reduce this image by 2, 4 and 8. Null: never.
  bool (*reduces)(const ImageInfo& info) noexcept = nullptr;
  /// Makes the library objects that a worker reuses from decode to decode. Null: none.
  std::shared_ptr<void> (*keep)() = nullptr;
};

/// The file of each decoder defines its format.
extern const Format jpeg_format, png_format, webp_format, pgm_format, ppm_format, foreign_format;
inline constexpr const Format* formats[] = {&jpeg_format, &png_format, &webp_format,
                                            &pgm_format,  &ppm_format, &foreign_format};

/// Value of pixels that could not be decoded, in lenient mode.
inline constexpr std::uint8_t missing_grey = 128;

/// The result of a cancelled decode. The engine discards it.
inline Defect cancelled_decode() { return {FaultKind::io, Stage::decode, "cancelled"}; }

// Parsers of the bytes before the pixels, for Format::read_header.

/// The properties of a JPEG frame that determine the memory of its decode.
struct JpegLayout {
  std::array<std::uint8_t, 4> horizontal{}, vertical{};  ///< sampling factors by component, 1-4
  bool several_scans = false;  ///< the decoder keeps the coefficients of the whole image
  /// MCUs between restart markers. 0: none, or the decoder cannot begin at them.
  std::uint16_t restart_interval = 0;
  std::uint32_t size = 0, scan = 0;  ///< offsets of the size in the frame header, and behind SOS

  /// The largest factors. A component of full size has them.
  std::uint32_t most_across() const noexcept { return *std::ranges::max_element(horizontal); }
  std::uint32_t most_down() const noexcept { return *std::ranges::max_element(vertical); }
};

/// Counts the additional scans of a file with several. In lenient mode a marker that was
/// overwritten makes the image `damaged` instead of a Defect.
Result<ImageInfo> read_jpeg_header(Bytes encoded, const DecodeLimits& limits, bool strict);

/// The next marker in entropy-coded data, for which 0xff occurs only before 0 or a marker. `at` moves
/// behind it. 0 if there is none.
std::uint8_t jpeg_next_marker(Bytes bytes, std::size_t& at) noexcept;

/// Whether the rest of a JPEG reaches an EOI. `rest` begins anywhere after SOS. `pending` is a
/// marker that was already read; 0 for none.
bool jpeg_reaches_end(Bytes rest, std::uint8_t pending) noexcept;

/// What IHDR says of colours.
struct PngLayout {
  std::uint8_t colour = 0;
  static constexpr std::uint8_t grey = 0, palette = 3, grey_alpha = 4;
  bool is_grey() const noexcept { return colour == grey || colour == grey_alpha; }
};

/// Visits every chunk, because libpng would allocate the length that a chunk states. In lenient
/// mode a file that ends after its first IDAT is `damaged` instead of a Defect. The same holds for
/// WebP.
Result<ImageInfo> read_png_header(Bytes encoded, const DecodeLimits& limits, bool strict);
Result<ImageInfo> read_webp_header(Bytes encoded, const DecodeLimits& limits, bool strict);

/// Where the pixels of a PNM begin.
struct PnmLayout {
  std::uint64_t start = 0;
  std::uint32_t most = 255;  ///< the value of white
  std::uint32_t value_bytes() const noexcept { return most > 255 ? 2 : 1; }
};

/// Binary PGM (P5) and PPM (P6). `pnm` has at least two bytes. In lenient mode a file that ends after its first line is `damaged`.
Result<ImageInfo> read_pnm_header(Bytes pnm, const DecodeLimits& limits, bool strict);

/// For a file that `codec` accepts.
Result<ImageInfo> read_foreign_header(Bytes encoded, const ForeignCodec& codec);

/// Checks the size against the limits.
std::optional<Defect> exceeded(const ImageInfo& info, const DecodeLimits& limits);

/// The orientation 1-8 in the first directory of a TIFF block ("II*\0" or "MM\0*"). 1 if there is
/// none or the block is broken, because bad metadata do not make the image bad.
std::uint8_t exif_orientation(Bytes tiff) noexcept;

// Defects with these parts as their reason.
template <class... Reason>
Defect corrupt_at(std::uint64_t offset, const Reason&... reason) {
  return {FaultKind::corrupt, Stage::decode, concat(reason...), offset};
}
template <class... Reason>
Defect truncated_at(std::uint64_t offset, const Reason&... reason) {
  return {FaultKind::truncated, Stage::decode, concat(reason...), offset};
}
template <class... Reason>
Defect unsupported(const Reason&... reason) {
  return {FaultKind::unsupported, Stage::decode, concat(reason...)};
}
template <class... Reason>
Defect over_limit(const Reason&... reason) {
  return {FaultKind::limit, Stage::decode, concat(reason...)};
}

}  // namespace weir::codec
