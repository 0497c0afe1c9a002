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

/// Converts `area` pixels, RGBRGB…, to `out`, as one plane per channel or with interleaved
/// channels. Any alignment. Does not allocate.
template <class T>
struct Kernels {
  using Call = void (*)(const std::uint8_t* pixels, std::size_t area, const Lines& lines, T* out,
                        Stores stores);
  Call planar, interleaved;
};
using AllKernels = std::tuple<Kernels<float>, Kernels<float16>, Kernels<bfloat16>>;

/// The kernels for the best vector set of this machine.
const AllKernels& kernels() noexcept;

}  // namespace weir::convert
