#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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

// For each vector set that the machine may have, chosen when first called. `count` images of `area`
// pixels, RGBRGB…, to `out`; any alignment. T is float, float16 or bfloat16. Nothing here allocates.

template <class T>
void planar(const std::uint8_t* pixels, std::size_t area, const Lines& lines, T* out,
            Stores stores);
template <class T>
void interleaved(const std::uint8_t* pixels, std::size_t area, const Lines& lines, T* out,
                 Stores stores);

}  // namespace weir::convert
