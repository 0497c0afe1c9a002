#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/defect.hpp"
#include "codec/decode_plan.hpp"
#include "weir/codec.hpp"
#include "weir/image.hpp"

namespace weir::codec {

struct DecoderOptions {
  FitSpec fit{};
  Exif exif = Exif::apply;
  bool strict = true;
  bool antialias = false;
  Decode decode = Decode::exact;
  DecodeLimits limits{};
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
};

/// Finds the format by its first bytes, parses the header and checks the limits, before memory is
/// requested.
Result<ImageInfo> probe_image(std::span<const std::byte> encoded, const DecoderOptions& options);

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
  Decoder(Decoder&&) noexcept = default;

  Result<ImageInfo> probe(std::span<const std::byte> encoded) const {
    return probe_image(encoded, options_);
  }
  /// Shape of the upright image, subject to Options::exif.
  Shape upright(const ImageInfo& info) const noexcept { return upright_shape(info, options_.exif); }
  /// Plans the conversion to a row with `fit` or DecoderOptions::fit. `draw` is the random key of
  /// this sample; only Fit::random uses it.
  DecodePlan plan(const ImageInfo& info, const FitSpec& fit, std::uint64_t draw) const {
    return plan_decode(info, fit, options_, draw);
  }
  DecodePlan plan(const ImageInfo& info, std::uint64_t draw) const {
    return plan(info, options_.fit, draw);
  }
  /// Plans the conversion to a row that is the upright image at its own size.
  DecodePlan plan_whole(const ImageInfo& info) const {
    // Stretching to the same size copies the pixels.
    return plan(info, {.out = upright(info), .fit = Fit::stretch}, 0);
  }

  /// Decodes, crops and resizes into `row` (shape plan.out(); it writes every byte). `scratch` has
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
