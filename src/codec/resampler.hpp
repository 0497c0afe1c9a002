#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/resample_kernels.hpp"
#include "weir/image.hpp"

namespace weir::codec {

/// A part of an image, in pixels from its edges. A width of 0 means the whole image.
struct Part {
  double x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

struct Resize {
  std::uint32_t in_width = 1, in_height = 1, out_width = 1, out_height = 1;
  bool mirror = false;  ///< reverses the order of columns
  Part part{};          ///< source of the output; the filter also reads the pixels around it
  Filter filter = Filter::bilinear;

  double span_x() const noexcept { return part.width == 0 ? in_width : part.width; }
  double span_y() const noexcept { return part.width == 0 ? in_height : part.height; }
};

/// Resamples RGB images row by row without allocations. It keeps only the source lines for one
/// output row, already resampled to the output's width.
///
/// Bilinear uses two lines. It gives the same bits as cv::resize with INTER_LINEAR on 8-bit pixels:
/// weights of 11 bits, columns before rows. `antialiased` uses a triangle filter. If a step of the
/// output is larger than one of the source, the triangle has that width, so that every pixel
/// counts. It agrees with Pillow's BILINEAR and torchvision's antialias within 1 grey level.
class Resampler {
 public:
  /// Working memory in bytes. It must be aligned to 64.
  static std::uint64_t memory_bytes(const Resize& resize) noexcept;
  Resampler() = default;
  Resampler(const Resize& resize, std::byte* memory) noexcept;

  /// Adds the next source line. The `overrun` bytes after it must be readable.
  void feed(const std::uint8_t* line) noexcept;
  /// Whether row next_row() of the output can be computed.
  bool ready() const noexcept { return row_ < resize_.out_height && last_ < fed_; }
  std::uint32_t next_row() const noexcept { return row_; }
  void make_row(std::uint8_t* out) noexcept;

 private:
  void aim() noexcept;

  Resize resize_{};
  Columns columns_{};
  Lines lines_{};                    ///< source lines of row_, valid when they have been fed
  std::int16_t* ring_ = nullptr;     ///< memory of the lines
  std::int16_t* weights_ = nullptr;  ///< weight of each line
  std::uint32_t fed_ = 0, row_ = 0;
  std::uint32_t last_ = 0;  ///< last source line of row_
};

}  // namespace weir::codec
