#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weir/image.hpp"

namespace weir::source {

/// An image whose rows are computed on demand.
class Rows {
 public:
  virtual ~Rows() = default;
  /// `row` has width * 3 values, RGB.
  virtual void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept = 0;
};

/// Encodes a baseline JPEG, 4:2:0. The bytes stay valid until the thread's next call. Throws
/// SampleError{memory} if libjpeg has no memory, std::bad_alloc.
std::span<const std::byte> encode_jpeg(const Rows& rows, Shape shape, int quality);

}  // namespace weir::source
