#pragma once

#include <cstdint>

#include "codec/image_info.hpp"
#include "codec/placement.hpp"

namespace weir::codec {

struct DecoderOptions;

/// What a format's decoder needs to deliver `source`: into a canvas that holds it, or, where it
/// `streams`, line by line into the job's sink.
struct CanvasNeed {
  Rect area;  ///< what is decoded
  bool streams = false;
  bool gapless = false;              ///< rows of the canvas must follow each other without a gap
  std::uint64_t spare_bytes = 0;     ///< lines on their way to the sink, or that nobody wants
  std::uint64_t arena_bytes = 0;     ///< what the third-party decoder allocates, through hooks
  std::uint64_t reserved_bytes = 0;  ///< what it allocates where there are no hooks
};

/// What one decode takes. `scratch` is handed in; `reserved` is what third parties without a hook
/// (libwebp, a foreign codec) allocate by themselves at most, to be charged beside it.
struct MemoryNeed {
  std::uint64_t scratch = 0, reserved = 0;
};

/// How one image becomes a row: decided once, from its header, before any memory is asked for.
struct DecodePlan {
  ImageInfo info{};
  Placement placement{};
  CanvasNeed canvas{};
  std::uint32_t reduce = 1;  ///< decoded at one part of its size: 1, 2, 4 or 8
  bool direct = false;       ///< the canvas is the row itself
  std::uint64_t canvas_bytes = 0, spare_offset = 0, sink_offset = 0, arena_offset = 0;
  MemoryNeed memory{};

  /// Of the row that is written.
  const Shape& out() const noexcept { return placement.out; }
};

/// Of an image upright, or as stored where `exif` ignores what it says.
Shape upright_shape(const ImageInfo& info, Exif exif) noexcept;

DecodePlan plan_decode(const ImageInfo& info, const FitSpec& fit, const DecoderOptions& options,
                       std::uint64_t draw);

}  // namespace weir::codec
