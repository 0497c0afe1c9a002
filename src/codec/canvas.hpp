#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/defect.hpp"
#include "codec/arena.hpp"
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
  std::uint32_t reduce = 1;  ///< 1, 2, 4 or 8: a JPEG is decoded at one part of its size
};

/// Of pixels that could not be decoded, in lenient mode.
inline constexpr std::uint8_t missing_grey = 128;

// Each decodes into job.canvas or job.sink. `damaged` only where the job is not strict.

/// `source` is of the image reduced.
CanvasNeed jpeg_canvas(const ImageInfo& info, const Rect& source, std::uint32_t reduce) noexcept;
/// Whether libjpeg-turbo 2.1 crops such an image rightly while it reduces it.
bool jpeg_reduces(const ImageInfo& info) noexcept;

CanvasNeed png_canvas(const ImageInfo& info, const Rect& source) noexcept;
Result<RowStatus> decode_png(const DecodeJob& job);

CanvasNeed webp_canvas(const ImageInfo& info, const Rect& source) noexcept;
Result<RowStatus> decode_webp(const DecodeJob& job);

CanvasNeed foreign_canvas(const ImageInfo& info) noexcept;
Result<RowStatus> decode_foreign(const DecodeJob& job);

/// Nobody reads it: the engine has dropped the sample by then.
inline Defect cancelled_decode() { return {FaultKind::io, Stage::decode, "cancelled"}; }

}  // namespace weir::codec
