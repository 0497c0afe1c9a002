#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <weir/weir.hpp>

/// Copies a rectangle with whole sides between images of the same size. Nothing if there is no image: then a
/// plane stays fill.
inline void copy_part(const weir::ImageView& from, const weir::MutableImageView& to,
                      const weir::Rect& part) {
  if (!from.data) return;
  const auto first = static_cast<std::uint32_t>(part.y),
             end = first + static_cast<std::uint32_t>(part.height);
  const auto pixel = weir::pixel_bytes(from.format);
  const auto left = static_cast<std::size_t>(part.x) * pixel;
  for (auto y = first; y < end; ++y)
    std::memcpy(to.data + y * to.row_stride + left, from.data + y * from.row_stride + left,
                static_cast<std::size_t>(part.width) * pixel);
}
