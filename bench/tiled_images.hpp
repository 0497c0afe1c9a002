#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/source.hpp"

namespace weir::bench {

/// As `weir pack --tiles` writes it. As it is if `tiles` is 0. A file that cannot have tiles ends the
/// program.
std::vector<std::byte> with_tiles(const std::vector<std::byte>& encoded, std::uint32_t tiles);
std::vector<MemorySample> with_tiles(std::vector<MemorySample> samples, std::uint32_t tiles);

/// How a large photograph is put together.
struct MosaicShape {
  std::uint32_t across, down;
  ImageSize part;
  ImageSize size() const noexcept { return {down * part.height, across * part.width}; }
};
/// Each of `across` x `down` photographs, which are stretched a little to the size of a part. Quality 90, 4:2:0.
std::vector<MemorySample> mosaics(std::size_t count, const MosaicShape& shape);

inline constexpr MosaicShape two_megapixels{6, 4, {339, 340}};     ///< 2040 x 1356
inline constexpr MosaicShape twelve_megapixels{8, 8, {375, 500}};  ///< 4000 x 3000

}  // namespace weir::bench
