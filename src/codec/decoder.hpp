#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/defect.hpp"
#include "codec/format_layout.hpp"
#include "codec/row_sink.hpp"
#include "weir/codec.hpp"
#include "weir/image.hpp"
#include "weir/rows.hpp"

namespace weir::codec {

struct Format;

/// Properties from the header, which are sufficient to admit the decode.
struct ImageInfo {
  const Format* format = nullptr;
  std::uint32_t width = 0, height = 0;  ///< as stored
  /// As stored: 1 grey, 2 grey + alpha, 3, 4 (RGBA, CMYK, YCCK); 0: not known.
  std::uint8_t channels = 3;
  std::uint8_t bit_depth = 8;    ///< of one value; 0: not known
  std::uint8_t orientation = 1;  ///< EXIF 1-8
  bool progressive = false;      ///< JPEG progressive, PNG interlaced
  bool alpha = false;            ///< also the tRNS of a PNG
  bool palette = false;          ///< values are indices
  FormatLayout layout{};
  bool damaged = false;  ///< lenient mode: the file is truncated, but some pixels may be decodable
};

/// What the decoder of a format needs to deliver `source`: a canvas, or if it `streams`, the job's
/// sink, line by line.
struct CanvasNeed {
  PixelRect area;  ///< decoded rectangle
  bool streams = false;
  PixelFormat native = PixelFormat::rgb8;  ///< of the canvas, or of the lines
  bool gapless = false;                    ///< whether the canvas must have rows without gaps
  std::uint64_t spare_bytes = 0;           ///< lines for the sink, and unused lines
  std::uint64_t arena_bytes = 0;           ///< allocations of the third-party decoder through hooks
  std::uint64_t reserved_bytes = 0;        ///< allocations of the third-party decoder without hooks
};

/// Memory of one decode. The caller provides `scratch`. `reserved` is the maximum that third
/// parties without hooks (libwebp, a foreign codec) allocate themselves; it is charged too.
struct MemoryNeed {
  std::uint64_t scratch = 0, reserved = 0;
  /// Then it is enough for this decode and for `other`, one after the other.
  void cover(const MemoryNeed& other) noexcept {
    scratch = std::max(scratch, other.scratch);
    reserved = std::max(reserved, other.reserved);
  }
};

/// The conversion of one image to a row. It is computed once from the header, before memory is
/// requested.
struct DecodePlan {
  ImageInfo info{};
  Placement placement{};
  CanvasNeed canvas{};
  std::uint32_t reduce = 1;  ///< reduction of the decoded size: 1, 2, 4 or 8
  bool direct = false;       ///< whether the canvas is the row itself
  std::uint64_t canvas_bytes = 0, canvas_offset = 0, spare_offset = 0, sink_offset = 0;
  MemoryNeed memory{};

  /// Size of the written row.
  ImageSize out() const noexcept { return placement.out; }
  /// Bytes of the written row.
  std::uint64_t out_bytes() const noexcept { return image_bytes(placement.out, placement.format); }
};

struct DecoderOptions {
  FitSpec fit{};
  PixelFormat pixels = PixelFormat::rgb8;  ///< of the rows
  Fill fill{};                             ///< of a row where it shows nothing of its file
  Exif exif = Exif::apply;
  bool strict = true;
  Filter filter = Filter::automatic;
  Decode decode = Decode::exact;
  DecodeLimits limits{};
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
};

/// Finds the format by its first bytes, parses the header and checks the limits, before memory is
/// requested. A file that DecoderOptions::pixels cannot hold is `unsupported`.
Result<ImageInfo> probe_image(std::span<const std::byte> encoded, const DecoderOptions& options);

/// What of the file is not in a row of the format: "palette indices", "colours", "alpha", "low 8
/// bits".
std::vector<std::string_view> dropped(const ImageInfo& info, PixelFormat pixels);

/// Size of the image after its EXIF orientation, or as stored if `exif` is ignore.
ImageSize upright_size(const ImageInfo& info, Exif exif) noexcept;
/// The size of the image if it is the same with every Options::exif; else 0.
ImageSize size_for_any_exif(const ImageInfo& info) noexcept;

/// How to decode what `crop` shows into a row of the size `out`. Pure.
DecodePlan plan_decode(const ImageInfo& info, const Crop& crop, ImageSize out,
                       const DecoderOptions& options);
/// The same for the whole upright image.
DecodePlan plan_whole(const ImageInfo& info, ImageSize out, const DecoderOptions& options);
/// At its own size.
DecodePlan plan_whole(const ImageInfo& info, const DecoderOptions& options);

/// The result of a decode. `fit_ns` is an estimate of the time for resizing and rotating.
struct Decoded {
  RowStatus status = RowStatus::ok;
  std::uint64_t fit_ns = 0;
};

/// Upper bound of the objects that a Decoder keeps, but for those of third-party libraries.
inline constexpr std::size_t decoder_object_bytes = std::size_t{30} << 10;

/// Decodes encoded bytes into a row of a slab. Each worker has its own, because it keeps decoder
/// objects and tables. Not thread-safe. No result refers to it after a call.
class Decoder {
 public:
  explicit Decoder(DecoderOptions options);
  Decoder(Decoder&&) noexcept = default;

  Result<ImageInfo> probe(std::span<const std::byte> encoded) const {
    return probe_image(encoded, options_);
  }
  /// Size of the upright image, subject to Options::exif.
  ImageSize upright(const ImageInfo& info) const noexcept {
    return upright_size(info, options_.exif);
  }
  const DecoderOptions& options() const noexcept { return options_; }

  /// Decodes, crops and resizes into `row` (plan.out_bytes() bytes; it writes each of them). `scratch` has
  /// at least plan.memory.scratch bytes, aligned to 64. Checks `cancelled` between rows. A
  /// cancelled decode returns a Defect, which the engine discards.
  Result<Decoded> decode(std::span<const std::byte> encoded, const DecodePlan& plan,
                         std::span<std::byte> scratch, const std::atomic<bool>& cancelled,
                         std::span<std::uint8_t> row);

 private:
  DecoderOptions options_;
  std::vector<std::shared_ptr<void>> kept_;  ///< Format::keep, in the order of `formats`
};

}  // namespace weir::codec
