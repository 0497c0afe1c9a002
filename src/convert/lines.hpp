#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "weir/convert.hpp"

namespace weir::convert {

/// `pixel * slope + offset` as an exact part in float and a small remainder.
struct Line {
  float slope = 0, offset = 0, slope_rest = 0, offset_rest = 0;
};
using Lines = std::array<Line, 3>;

/// Splits `pixel * slope + offset` into an exact large part and a small remainder, so that the sum
/// is rounded once. README.md explains the method.
Line split_line(long double slope, long double offset) noexcept;

/// How one call stores its outputs.
enum class Stores : std::uint8_t {
  cached,
  streamed,  ///< past the caches, for outputs that do not fit in a cache
};

/// Converts pixels of three channels of 8 bits to `out`. Any alignment. Does not allocate.
template <class T>
struct Kernels {
  /// Writes channel c of `count` pixels to out + c * plane.
  void (*planar)(const std::uint8_t* pixels, std::size_t count, const Lines& lines, T* out,
                 std::size_t plane, Stores stores);
  /// Writes `values` values. Value i has line i % 3.
  void (*interleaved)(const std::uint8_t* pixels, std::size_t values, const Lines& lines, T* out,
                      Stores stores);
};
using AllKernels = std::tuple<Kernels<float>, Kernels<float16>, Kernels<bfloat16>>;

/// The kernels for the best vector set of this machine.
const AllKernels& kernels() noexcept;

}  // namespace weir::convert
