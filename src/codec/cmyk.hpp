#pragma once

#include <cstdint>

#include "codec/format.hpp"

namespace weir::codec {

/// Converts one line of JPEG CMYK to RGB: R = C'K'/255 rounded, and G and B in the same way from M
/// and Y. C', M', Y', K' are 255 without ink. Adobe stores these values (`inverted`); without its
/// marker, 0 means no ink.
inline void cmyk_to_rgb(const std::uint8_t* cmyk, bool inverted, std::uint8_t* rgb,
                        std::uint32_t pixels) noexcept {
  const std::uint32_t flip = inverted ? 0 : 255;
  for (std::uint32_t i = 0; i < pixels; ++i, cmyk += 4, rgb += pixel_bytes) {
    const std::uint32_t light = cmyk[3] ^ flip;
    for (int c = 0; c < 3; ++c)
      rgb[c] = static_cast<std::uint8_t>(((cmyk[c] ^ flip) * light + 127) / 255);
  }
}

}  // namespace weir::codec
