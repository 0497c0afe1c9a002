#pragma once

#include <cstddef>
#include <cstdint>

#include "codec/geometry.hpp"
#include "codec/resample_kernels.hpp"
#include "weir/image.hpp"

namespace weir::codec {

struct Resize {
  std::uint32_t in_width = 1, in_height = 1, out_width = 1, out_height = 1;
  bool mirror = false;  ///< reverses the order of columns
  /// Whether columns and lines run against those of the upright image.
  bool reverse_x = false, reverse_y = false;
  /// Source of the output; the filter also reads the pixels around it. A width of 0: the whole image.
  /// For `nearest`, x and y begin at the upright image's edges.
  Rect part{};
  Filter filter = Filter::bilinear;
  PixelFormat format = PixelFormat::rgb8;

  double span_x() const noexcept { return part.width == 0 ? in_width : part.width; }
  double span_y() const noexcept { return part.width == 0 ? in_height : part.height; }
};

/// How pixels of so many channels and such values are resampled with one filter.
struct Kernel {
  std::uint32_t channels, value_bytes;
  Filter filter;
  std::uint32_t weight_bytes;  ///< of a weight of a column or a line
  std::uint32_t sum_bytes;     ///< of a value of a line with the output's width
  /// Most source columns and lines for one output pixel.
  std::uint32_t (*column_taps)(const Resize& resize);
  std::uint32_t (*line_taps)(const Resize& resize);
  /// Computes the offsets and weights of all columns.
  void (*aim_columns)(const Resize& resize, Columns& columns);
  /// Computes first and last source line of a row of the output, and the weights of its lines.
  void (*aim_lines)(const Resize& resize, std::uint32_t row, Lines& lines, std::byte* weights);
  /// Gives a source line the output's width.
  void (*resample)(const Columns& columns, const std::uint8_t* line, std::byte* out);
  /// Makes a row of the output from its lines.
  void (*combine)(const Lines& lines, const std::byte* weights, std::uint8_t* out,
                  std::size_t values);
  /// Whether `resample` of this machine needs groups of columns. Null: never.
  bool (*by_groups)(const Resize& resize) = nullptr;
};

/// The kernel of the format and the filter, which is not `automatic`.
const Kernel& kernel_of(PixelFormat format, Filter filter) noexcept;

}  // namespace weir::codec
