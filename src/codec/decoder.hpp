#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/defect.hpp"
#include "codec/decode_plan.hpp"
#include "codec/geometry.hpp"
#include "codec/image_info.hpp"
#include "weir/codec.hpp"
#include "weir/image.hpp"

namespace weir::codec {

class FormatDecoder;

struct DecoderOptions {
  FitSpec fit{};
  Exif exif = Exif::apply;
  bool strict = true;
  bool antialias = false;
  Decode decode = Decode::exact;
  DecodeLimits limits{};
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
};

/// How a decode went. `fit_ns` is about the part of the time spent resizing and turning.
struct Decoded {
  RowStatus status = RowStatus::ok;
  std::uint64_t fit_ns = 0;
};

/// Encoded bytes to a row of a slab. One a worker: it keeps decoder objects and tables. Not
/// thread-safe; nothing it does outlives a call.
class Decoder {
 public:
  explicit Decoder(DecoderOptions options);
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  /// Decides by magic bytes, reads the header with a bounded parser, applies the limits.
  Result<ImageInfo> probe(std::span<const std::byte> encoded) const;

  /// Of the image upright, as Options::exif has it.
  Shape upright(const ImageInfo& info) const noexcept;

  /// How the image becomes a row of `fit`, or of DecoderOptions::fit. `draw`: the key of this
  /// sample's random stream, used by Fit::random alone.
  DecodePlan plan(const ImageInfo& info, const FitSpec& fit, std::uint64_t draw) const;
  DecodePlan plan(const ImageInfo& info, std::uint64_t draw) const;
  /// The row is the upright image at its own size.
  DecodePlan plan_whole(const ImageInfo& info) const;

  /// Decodes, crops and resizes into `row` (plan.out(), every byte written). `scratch` is at least
  /// plan.memory.scratch long and aligned to 64. Reads `cancelled` between rows; a cancelled decode
  /// gives a Defect that nobody will see.
  Result<Decoded> decode(std::span<const std::byte> encoded, const DecodePlan& plan,
                         std::span<std::byte> scratch, const std::atomic<bool>& cancelled,
                         std::span<std::uint8_t> row);

 private:
  DecoderOptions options_;
  std::vector<std::unique_ptr<FormatDecoder>> decoders_;  ///< as `formats` lists them
};

}  // namespace weir::codec
