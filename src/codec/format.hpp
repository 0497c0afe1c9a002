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

/// Memory for one rectangle of a stored image, RGB.
struct Canvas {
  std::uint8_t* pixels = nullptr;
  std::size_t stride = 0;
  Rect area;  ///< what of the image it holds

  bool holds_row(std::uint32_t y) const noexcept { return y >= area.y && y - area.y < area.height; }
  std::uint8_t* row(std::uint32_t y) const noexcept { return pixels + (y - area.y) * stride; }
  std::uint8_t* at(std::uint32_t x, std::uint32_t y) const noexcept {
    return row(y) + (x - area.x) * pixel_bytes;
  }
};

struct DecodeJob {
  std::span<const std::byte> encoded;
  const ImageInfo& info;
  Rect source;    ///< what is wanted of the stored image, reduced
  Canvas canvas;  ///< empty where the decoder streams
  RowSink& sink;
  std::uint8_t* spare;
  Arena& arena;
  const DecodeLimits& limits;
  bool strict;
  const std::atomic<bool>& cancelled;
  std::uint32_t reduce = 1;  ///< 1, 2, 4 or 8: decoded at one part of its size
};

/// The decoder of one format. One a worker: it may keep objects of a library from image to image.
class FormatDecoder {
 public:
  virtual ~FormatDecoder() = default;
  /// Into job.canvas or job.sink. `damaged` only where the job is not strict.
  virtual Result<RowStatus> decode(const DecodeJob& job) = 0;
};

/// One row of the table of formats.
struct Format {
  std::string_view name;  ///< in reports
  std::string_view
      magic;  ///< first bytes of its files, '.' for any byte; empty: see Options::codecs
  /// Linear in the bytes that it reads. Allocates nothing but a Defect's reason, trusts no length.
  Result<ImageInfo> (*read_header)(Bytes encoded, const DecodeLimits& limits, bool strict);
  /// `source` is of the image reduced by `reduce`.
  CanvasNeed (*need)(const ImageInfo& info, const Rect& source, std::uint32_t reduce) noexcept;
  std::unique_ptr<FormatDecoder> (*decoder)();
  /// Whether its decoder can reduce this image by 2, 4 and 8; null: never.
  bool (*reduces)(const ImageInfo& info) noexcept = nullptr;
};

/// Each stands in the file of its decoder.
extern const Format jpeg_format, png_format, webp_format, foreign_format;
inline constexpr const Format* formats[] = {&jpeg_format, &png_format, &webp_format,
                                            &foreign_format};

template <class Decoder>
std::unique_ptr<FormatDecoder> make_decoder() {
  return std::make_unique<Decoder>();
}

/// Of pixels that could not be decoded, in lenient mode.
inline constexpr std::uint8_t missing_grey = 128;

/// Nobody reads it: the engine has dropped the sample by then.
inline Defect cancelled_decode() { return {FaultKind::io, Stage::decode, "cancelled"}; }

}  // namespace weir::codec
