#include "codec/imgcodecs/headers.hpp"

namespace weir::imgcodecs {

Header read_bitmap_header(codec::Bytes bmp) {
  constexpr std::size_t info_at = 14;
  constexpr std::uint32_t core_header_bytes = 12, info_header_bytes = 36;
  require(bmp.has(info_at, core_header_bytes), FaultKind::truncated, "cut inside the BMP header");
  const std::uint32_t header_bytes = bmp.le32(info_at);
  if (header_bytes == core_header_bytes)
    return line_by_line(bmp.le16(info_at + 4), bmp.le16(info_at + 6));
  require(header_bytes >= info_header_bytes, FaultKind::corrupt, "BMP header of an unknown size");
  require(bmp.has(info_at, info_header_bytes), FaultKind::truncated, "cut inside the BMP header");
  const std::uint32_t width = bmp.le32(info_at + 4), height = bmp.le32(info_at + 8);
  require(width <= 0x7fffffff, FaultKind::corrupt, "negative BMP width");
  // A negative height means that rows are stored from top to bottom.
  return line_by_line(width, height <= 0x7fffffff ? height : 0u - height);
}

}  // namespace weir::imgcodecs
