#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weir/image.hpp"

namespace weir::source {

/// A picture that exists only as rows, painted when they are asked for.
class Rows {
 public:
  virtual ~Rows() = default;
  /// `row` is width * 3 values, RGB.
  virtual void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept = 0;
};

/// Baseline JPEG, 4:2:0. The bytes stay valid until the thread's next call. Throws
/// SampleError{memory} where libjpeg gets none, std::bad_alloc.
std::span<const std::byte> encode_jpeg(const Rows& rows, Shape shape, int quality);

}  // namespace weir::source
