#pragma once

#include <cstdint>

#include "weir/rows.hpp"

namespace weir::codec {

/// Converts `count` pixels. From rgb8 and grey8: to every format that is not stored. Also from grey16
/// to rgb16, from rgb16 to grey16 and from stored8 to stored16. Grey of colours is
/// (19595 R + 38470 G + 7471 B + 32768) >> 16. 8-bit values become 16-bit values times 257.
void convert_pixels(const std::uint8_t* from, PixelFormat from_format, std::uint8_t* to,
                    PixelFormat to_format, std::uint32_t count) noexcept;

/// Sets pixels that could not be decoded (lenient mode): opaque grey, or `fill` in stored formats.
void fill_missing(std::uint8_t* pixels, PixelFormat format, std::uint64_t count,
                  const Fill& fill) noexcept;

}  // namespace weir::codec
