#pragma once

#include <array>
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

  double from_x() const noexcept { return part.x; }
  double from_y() const noexcept { return part.y; }
  double span_x() const noexcept { return part.width == 0 ? in_width : part.width; }
  double span_y() const noexcept { return part.width == 0 ? in_height : part.height; }
};

/// Bilinear resampling of RGB, row by row, bit for bit what cv::resize makes of 8-bit pixels with
/// INTER_LINEAR: weights of 11 bits, columns before rows. Of the source it keeps two lines of the
/// output's width; it allocates nothing.
class Resampler {
 public:
  /// Weights in the columns' tables and of the two rows are of this sum.
  static constexpr int weight_sum = 2048;

  /// Memory it works in, to be aligned to 64.
  static std::uint64_t memory_bytes(const Resize& resize) noexcept;
  Resampler() = default;
  Resampler(const Resize& resize, std::byte* memory) noexcept;

  /// The next line of the source; `overrun` bytes behind it can be read.
  void feed(const std::uint8_t* line) noexcept;
  /// Lines from the next on that no row of the output is made of.
  std::uint32_t idle_lines() const noexcept { return top_ > fed_ ? top_ - fed_ : 0; }
  void skip(std::uint32_t lines) noexcept { fed_ += lines; }

  /// Whether row next_row() of the output can be made.
  bool ready() const noexcept { return row_ < resize_.out_height && bottom_ < fed_; }
  std::uint32_t next_row() const noexcept { return row_; }
  void make_row(std::uint8_t* out) noexcept;

 private:
  void aim() noexcept;

  Resize resize_{};
  Columns columns_{};
  std::array<std::int16_t*, 2> lines_{};
  std::uint32_t fed_ = 0, row_ = 0;
  std::uint32_t top_ = 0, bottom_ = 0;  ///< the lines that row_ is made of
  std::int16_t top_weight_ = 0, bottom_weight_ = 0;
};

}  // namespace weir::codec
