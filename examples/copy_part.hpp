#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <weir/weir.hpp>

/// Copies an image into a larger one of the same pixel format. Nothing if there is no image: then a plane stays
/// fill.
inline void copy_part(const weir::ImageView& from, const weir::MutableImageView& to,
                      weir::PixelOffset at) {
  if (!from.data) return;
  const auto left = std::size_t{at.x} * weir::pixel_bytes(from.format);
  for (std::uint32_t y = 0; y < from.shape.height; ++y)
    std::memcpy(to.data + (at.y + y) * to.row_stride + left, from.data + y * from.row_stride,
                from.line_bytes());
}
