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
  /// `row` has the bytes of one row.
  virtual void paint(std::uint32_t y, std::span<std::uint8_t> row) const noexcept = 0;
  /// Whether the image is no longer needed. Asked every few milliseconds.
  virtual bool stopped() const noexcept { return false; }
};

/// The size of the largest JPEG that encode_jpeg() can make of an image of this shape.
std::size_t most_jpeg_bytes(ImageSize shape) noexcept;

/// Encodes a baseline JPEG, 4:2:0 or grey, into `memory`, which has most_jpeg_bytes(shape). Returns the part
/// that was written. Throws SampleError{memory} if libjpeg has no memory, SampleError{io} if the rows
/// were stopped, std::bad_alloc.
std::span<std::byte> encode_jpeg(const Rows& rows, ImageSize shape, PixelFormat format, int quality,
                                 std::span<std::byte> memory);

}  // namespace weir::source
