#pragma once

#include <cstdint>

#include "codec/decoder.hpp"

namespace weir::codec {

/// How to decode an image into a row by `fit`, as the engine does it. `draw` is the random key of the
/// sample.
inline DecodePlan plan_row(const Decoder& decoder, const ImageInfo& info, const FitSpec& fit,
                           std::uint64_t draw) {
  const auto image = decoder.upright(info);
  return plan_decode(info, crop_of(choose_window(image, fit, draw), image), fit.out,
                     decoder.options());
}
inline DecodePlan plan_row(const Decoder& decoder, const ImageInfo& info, std::uint64_t draw = 0) {
  return plan_row(decoder, info, decoder.options().fit, draw);
}

/// The pixels of a rectangle whose edges are those of pixels.
constexpr PixelRect pixels_of(const Rect& r) noexcept {
  return {static_cast<std::uint32_t>(r.x), static_cast<std::uint32_t>(r.y),
          static_cast<std::uint32_t>(r.width), static_cast<std::uint32_t>(r.height)};
}

}  // namespace weir::codec
