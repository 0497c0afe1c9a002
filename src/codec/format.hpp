#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/defect.hpp"
#include "codec/arena.hpp"
#include "codec/bytes.hpp"
#include "codec/decoder.hpp"
#include "codec/geometry.hpp"
#include "codec/row_sink.hpp"

namespace weir::codec {

/// RGB memory for one rectangle of a stored image.
struct Canvas {
  std::uint8_t* pixels = nullptr;
  std::size_t stride = 0;
  Rect area;  ///< the rectangle

  bool holds_row(std::uint32_t y) const noexcept { return y >= area.y && y - area.y < area.height; }
  std::uint8_t* row(std::uint32_t y) const noexcept { return pixels + (y - area.y) * stride; }
  std::uint8_t* at(std::uint32_t x, std::uint32_t y) const noexcept {
    return row(y) + (x - area.x) * pixel_bytes;
  }
};

struct DecodeJob {
  std::span<const std::byte> encoded;
  const ImageInfo& info;
  Rect source;    ///< required part of the stored image, after reduction
  Canvas canvas;  ///< empty if the decoder streams
  RowSink& sink;
  std::uint8_t* spare;
  Arena& arena;
  const DecodeLimits& limits;
  bool strict;
  const std::atomic<bool>& cancelled;
  std::uint32_t reduce = 1;  ///< reduction of the decoded size: 1, 2, 4 or 8
};

/// The decoder of one format. Each worker has its own, because it may reuse library objects.
class FormatDecoder {
 public:
  virtual ~FormatDecoder() = default;
  /// Decodes into job.canvas or job.sink. Returns `damaged` only if the job is not strict.
  virtual Result<RowStatus> decode(const DecodeJob& job) = 0;
};

/// One row of the table of formats.
struct Format {
  std::string_view name;   ///< name in reports
  std::string_view magic;  ///< first bytes of a file, '.' for any byte; empty: see Options::codecs
  /// Takes time linear in the bytes that it reads. Allocates only the reason of a Defect. Checks
  /// every length.
  Result<ImageInfo> (*read_header)(Bytes encoded, const DecodeLimits& limits, bool strict);
  /// `source` is in coordinates of the image after reduction.
  CanvasNeed (*need)(const ImageInfo& info, const Rect& source, std::uint32_t reduce) noexcept;
  std::unique_ptr<FormatDecoder> (*decoder)();
  /// Whether the decoder can reduce this image by 2, 4 and 8. Null: never.
  bool (*reduces)(const ImageInfo& info) noexcept = nullptr;
};

/// The file of each decoder defines its format.
extern const Format jpeg_format, png_format, webp_format, foreign_format;
inline constexpr const Format* formats[] = {&jpeg_format, &png_format, &webp_format,
                                            &foreign_format};

template <class Decoder>
std::unique_ptr<FormatDecoder> make_decoder() {
  return std::make_unique<Decoder>();
}

/// Value of pixels that could not be decoded, in lenient mode.
inline constexpr std::uint8_t missing_grey = 128;

/// The result of a cancelled decode. The engine discards it.
inline Defect cancelled_decode() { return {FaultKind::io, Stage::decode, "cancelled"}; }

}  // namespace weir::codec
