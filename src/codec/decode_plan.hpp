#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "codec/row_sink.hpp"
#include "weir/codec.hpp"

namespace weir::codec {

struct DecoderOptions;

struct Format;

/// Format-specific results of a header parser for its decoder, in one struct per format.
class FormatLayout {
 public:
  template <class Layout>
  void set(const Layout& layout) noexcept {
    static_assert(std::is_trivially_copyable_v<Layout> && sizeof(Layout) <= sizeof bytes_);
    std::memcpy(bytes_.data(), &layout, sizeof layout);
  }
  /// The stored struct. All zero if none was set.
  template <class Layout>
  Layout get() const noexcept {
    Layout layout;
    std::memcpy(&layout, bytes_.data(), sizeof layout);
    return layout;
  }

 private:
  std::array<std::byte, 24> bytes_{};
};

/// Properties from the header, which are sufficient to admit the decode.
struct ImageInfo {
  const Format* format = nullptr;
  std::uint32_t width = 0, height = 0;  ///< as stored
  std::uint8_t channels = 3;  ///< as stored: 1 grey, 2 grey + alpha, 3, 4 (RGBA, CMYK, YCCK)
  std::uint8_t bit_depth = 8;
  std::uint8_t orientation = 1;  ///< EXIF 1-8
  bool progressive = false;      ///< JPEG progressive, PNG interlaced
  FormatLayout layout{};
  bool damaged = false;  ///< lenient mode: the file is truncated, but some pixels may be decodable
};

/// What the decoder of a format needs to deliver `source`: a canvas, or if it `streams`, the job's
/// sink, line by line.
struct CanvasNeed {
  Rect area;  ///< decoded rectangle
  bool streams = false;
  bool gapless = false;              ///< whether the canvas must have rows without gaps
  std::uint64_t spare_bytes = 0;     ///< lines for the sink, and unused lines
  std::uint64_t arena_bytes = 0;     ///< allocations of the third-party decoder through hooks
  std::uint64_t reserved_bytes = 0;  ///< allocations of the third-party decoder without hooks
};

/// Memory of one decode. The caller provides `scratch`. `reserved` is the maximum that third
/// parties without hooks (libwebp, a foreign codec) allocate themselves; it is charged too.
struct MemoryNeed {
  std::uint64_t scratch = 0, reserved = 0;
};

/// The conversion of one image to a row. It is computed once from the header, before memory is
/// requested.
struct DecodePlan {
  ImageInfo info{};
  Placement placement{};
  CanvasNeed canvas{};
  std::uint32_t reduce = 1;  ///< reduction of the decoded size: 1, 2, 4 or 8
  bool direct = false;       ///< whether the canvas is the row itself
  std::uint64_t canvas_bytes = 0, spare_offset = 0, sink_offset = 0, arena_offset = 0;
  MemoryNeed memory{};

  /// Shape of the written row.
  const Shape& out() const noexcept { return placement.out; }
};

/// Shape of the image after its EXIF orientation, or as stored if `exif` is ignore.
Shape upright_shape(const ImageInfo& info, Exif exif) noexcept;

DecodePlan plan_decode(const ImageInfo& info, const FitSpec& fit, const DecoderOptions& options,
                       std::uint64_t draw);

}  // namespace weir::codec
