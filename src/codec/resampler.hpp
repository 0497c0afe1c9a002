#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/resample_kernels.hpp"

namespace weir::codec {

/// A part of an image, in pixels and from its edges; of no width: all of it.
struct Part {
  double x = 0, y = 0, width = 0, height = 0;
  friend bool operator==(const Part&, const Part&) = default;
};

struct Resize {
  std::uint32_t in_width = 1, in_height = 1, out_width = 1, out_height = 1;
  bool mirror = false;  ///< columns come out from right to left
  Part part{};          ///< what becomes the output; what lies around it is there to be looked at
  bool antialias = false;

  double span_x() const noexcept { return part.width == 0 ? in_width : part.width; }
  double span_y() const noexcept { return part.width == 0 ? in_height : part.height; }
};

/// Resampling of RGB, row by row, allocating nothing. Of the source it keeps as many lines, of the output's
/// width, as a row is made of.
///
/// Bilinear: two lines; bit for bit what cv::resize makes of 8-bit pixels with INTER_LINEAR: weights of 11
/// bits, columns before rows. With `antialias` by a triangle that is as wide as a step of the output where
/// that is larger than one of the source, so that every pixel counts: what Pillow's BILINEAR and
/// torchvision's antialias do, within 1 grey level.
class Resampler {
 public:
  /// Memory it works in, to be aligned to 64.
  static std::uint64_t memory_bytes(const Resize& resize) noexcept;
  Resampler() = default;
  Resampler(const Resize& resize, std::byte* memory) noexcept;

  /// The next line of the source; `overrun` bytes behind it can be read.
  void feed(const std::uint8_t* line) noexcept;
  /// Whether row next_row() of the output can be made.
  bool ready() const noexcept { return row_ < resize_.out_height && last_ < fed_; }
  std::uint32_t next_row() const noexcept { return row_; }
  void make_row(std::uint8_t* out) noexcept;

 private:
  void aim() noexcept;

  Resize resize_{};
  Columns columns_{};
  Lines lines_{};                    ///< those that row_ is made of, once they were fed
  std::int16_t* ring_ = nullptr;     ///< where they are kept
  std::int16_t* weights_ = nullptr;  ///< of each
  std::uint32_t fed_ = 0, row_ = 0;
  std::uint32_t last_ = 0;  ///< of the lines that row_ is made of
};

}  // namespace weir::codec
