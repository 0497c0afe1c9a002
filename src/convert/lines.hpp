#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include "weir/convert.hpp"

namespace weir::convert {

/// `pixel * slope + offset`, exact in float, and the small rest.
struct Line {
  float slope = 0, offset = 0, slope_rest = 0, offset_rest = 0;
};
using Lines = std::array<Line, 3>;

/// `pixel * slope + offset`, split so that its large part is exact and all is rounded once. README.md
/// says how.
Line split_line(long double slope, long double offset) noexcept;

/// How the outputs of one call are stored.
enum class Stores : std::uint8_t {
  cached,
  streamed,  ///< past the caches: for outputs that no cache would hold
};

/// `area` pixels, RGBRGB…, to `out`: a plane a channel, or channels side by side; any alignment. Nothing
/// here allocates.
template <class T>
struct Kernels {
  using Call = void (*)(const std::uint8_t* pixels, std::size_t area, const Lines& lines, T* out,
                        Stores stores);
  Call planar, interleaved;
};
using AllKernels = std::tuple<Kernels<float>, Kernels<float16>, Kernels<bfloat16>>;

/// Of the best vector set that the machine has, chosen when first called.
const AllKernels& kernels() noexcept;

}  // namespace weir::convert
