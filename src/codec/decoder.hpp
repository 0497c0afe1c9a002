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

/// The result of a decode. `fit_ns` is an estimate of the time for resizing and rotating.
struct Decoded {
  RowStatus status = RowStatus::ok;
  std::uint64_t fit_ns = 0;
};

/// Decodes encoded bytes into a row of a slab. Each worker has its own, because it keeps decoder
/// objects and tables. Not thread-safe. No result refers to it after a call.
class Decoder {
 public:
  explicit Decoder(DecoderOptions options);
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  /// Finds the format by its magic bytes, parses the header with bounds and checks the limits.
  Result<ImageInfo> probe(std::span<const std::byte> encoded) const;

  /// Shape of the upright image, subject to Options::exif.
  Shape upright(const ImageInfo& info) const noexcept;

  /// Plans the conversion to a row with `fit` or DecoderOptions::fit. `draw` is the random key of
  /// this sample; only Fit::random uses it.
  DecodePlan plan(const ImageInfo& info, const FitSpec& fit, std::uint64_t draw) const;
  DecodePlan plan(const ImageInfo& info, std::uint64_t draw) const;
  /// Plans the conversion to a row that is the upright image at its own size.
  DecodePlan plan_whole(const ImageInfo& info) const;

  /// Decodes, crops and resizes into `row` (shape plan.out(); it writes every byte). `scratch` has
  /// at least plan.memory.scratch bytes, aligned to 64. Checks `cancelled` between rows. A
  /// cancelled decode returns a Defect, which the engine discards.
  Result<Decoded> decode(std::span<const std::byte> encoded, const DecodePlan& plan,
                         std::span<std::byte> scratch, const std::atomic<bool>& cancelled,
                         std::span<std::uint8_t> row);

 private:
  DecoderOptions options_;
  std::vector<std::unique_ptr<FormatDecoder>> decoders_;  ///< in the order of `formats`
};

}  // namespace weir::codec
