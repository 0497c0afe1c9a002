#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "weir/rows.hpp"

namespace weir {

/// Gives each pixel of `bytes`, which are whole pixels, the value of `fill`.
inline void fill_pixels(std::span<std::uint8_t> bytes, PixelFormat format,
                        const Fill& fill) noexcept {
  const auto channels = channels_of(format);
  const bool wide = value_bytes(format) == 2;
  const bool even = std::all_of(fill.begin(), fill.begin() + channels, [&](std::uint16_t value) {
    return value == fill[0] && (!wide || value >> 8 == (value & 255));
  });
  if (even) {
    if (!bytes.empty()) std::memset(bytes.data(), fill[0] & 255, bytes.size());
    return;
  }
  const auto pixel = pixel_bytes(format);
  for (std::size_t at = 0; at < bytes.size(); at += pixel) {
    for (std::uint32_t channel = 0; channel < channels; ++channel) {
      if (wide)
        std::memcpy(bytes.data() + at + std::size_t{2} * channel, &fill[channel], 2);
      else
        bytes[at + channel] = static_cast<std::uint8_t>(fill[channel]);
    }
  }
}

}  // namespace weir
