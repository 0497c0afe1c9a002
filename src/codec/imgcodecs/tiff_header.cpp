#include <algorithm>

#include "codec/imgcodecs/headers.hpp"

namespace weir::imgcodecs {

Size read_tiff_header(codec::Bytes tiff) {
  constexpr std::uint32_t width_tag = 256, height_tag = 257, samples_tag = 277;
  constexpr std::uint32_t type_short = 3, type_long = 4;
  constexpr std::size_t entry_bytes = 12;
  const bool little = tiff.matches(0, "II");
  const auto u16 = [&](std::size_t i) { return little ? tiff.le16(i) : tiff.be16(i); };
  const auto u32 = [&](std::size_t i) { return little ? tiff.le32(i) : tiff.be32(i); };
  require(tiff.has(4, 4), FaultKind::truncated, "cut inside the TIFF header");
  const std::uint64_t directory = u32(4);
  require(tiff.has(directory, 2), FaultKind::truncated, "TIFF directory beyond the end");

  const auto first = static_cast<std::size_t>(directory) + 2;
  const std::size_t entries =
      std::min<std::size_t>(u16(first - 2), (tiff.size() - first) / entry_bytes);
  Size size;
  std::uint32_t samples = 1;
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = first + entry_bytes * i;
    const std::uint32_t tag = u16(entry), type = u16(entry + 2);
    if (type != type_short && type != type_long) continue;
    const std::uint32_t value = type == type_short ? u16(entry + 8) : u32(entry + 8);
    if (tag == width_tag) size.width = value;
    if (tag == height_tag) size.height = value;
    if (tag == samples_tag) samples = value;
  }
  require(samples == 1 || samples == 3 || samples == 4, FaultKind::unsupported,
          "TIFF of other than 1, 3 or 4 channels");
  return size;
}

}  // namespace weir::imgcodecs
