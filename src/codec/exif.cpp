#include <algorithm>
#include <cstdint>
#include <string_view>

#include "codec/format.hpp"

namespace weir::codec {

std::uint8_t exif_orientation(Bytes tiff) noexcept {
  constexpr std::uint32_t orientation_tag = 0x0112;
  const bool little = tiff.matches(0, std::string_view("II*\0", 4));
  if (!little && !tiff.matches(0, std::string_view("MM\0*", 4))) return 1;
  const auto u16 = [&](std::size_t i) { return little ? tiff.le16(i) : tiff.be16(i); };
  const auto u32 = [&](std::size_t i) { return little ? tiff.le32(i) : tiff.be32(i); };
  if (!tiff.has(4, 4)) return 1;
  const std::uint64_t directory = u32(4);
  if (!tiff.has(directory, 2)) return 1;

  const auto first = static_cast<std::size_t>(directory) + 2;
  const std::size_t entries = std::min<std::size_t>(u16(first - 2), (tiff.size() - first) / 12);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = first + 12 * i;
    if (u16(entry) != orientation_tag) continue;
    if (u32(entry + 4) != 1) return 1;
    // The standard wants SHORT. Files with other integer types exist, and Pillow reads them.
    std::uint32_t value = 0;
    switch (u16(entry + 2)) {
      case 1:                                     // BYTE
      case 6: value = tiff.u8(entry + 8); break;  // SBYTE
      case 3:                                     // SHORT
      case 8: value = u16(entry + 8); break;      // SSHORT
      case 4:                                     // LONG
      case 9: value = u32(entry + 8); break;      // SLONG
      default: break;
    }
    return value >= 1 && value <= 8 ? static_cast<std::uint8_t>(value) : std::uint8_t{1};
  }
  return 1;
}

}  // namespace weir::codec
