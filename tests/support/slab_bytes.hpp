#pragma once

#include <cstdint>

#include "weir/image.hpp"
#include "weir/rows.hpp"

namespace weir::test {

/// Bytes of a slab of images of one size, without planes, by hand.
inline std::uint64_t slab_bytes(ImageSize shape, std::uint64_t rows, std::uint64_t alignment,
                                std::uint64_t annotation_bytes = 0,
                                PixelFormat pixels = PixelFormat::rgb8) {
  std::uint64_t bytes = 0;
  const auto add = [&](std::uint64_t row) {
    bytes += (rows * row + alignment - 1) / alignment * alignment;
  };
  add(image_bytes(shape, pixels));
  if (annotation_bytes > 0) {
    add(annotation_bytes);
    add(sizeof(std::uint32_t));  // its length
  }
  add(sizeof(std::int64_t));   // label
  add(sizeof(std::uint64_t));  // index
  add(sizeof(RowStatus));
  add(sizeof(Window));
  return bytes;
}

}  // namespace weir::test
