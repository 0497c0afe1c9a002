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
  const std::uint32_t bits = bmp.le16(info_at + 14), compression = bmp.le32(info_at + 16);
  constexpr std::uint32_t with_masks = 3;
  require(compression <= with_masks, FaultKind::unsupported,
          "BMP in a compression that OpenCV does not read; convert it to PNG");
  constexpr std::size_t masks_at = 54;
  if (bits == 32 && compression == with_masks) {
    require(bmp.has(masks_at, 12), FaultKind::truncated, "cut inside the BMP header");
    require(bmp.le32(masks_at) == 0xff0000 && bmp.le32(masks_at + 4) == 0xff00 &&
                bmp.le32(masks_at + 8) == 0xff,
            FaultKind::unsupported,
            "BMP of 32 bits with masks that OpenCV ignores; convert it to PNG");
  }
  // A negative height means that rows are stored from top to bottom.
  auto header = line_by_line(width, height <= 0x7fffffff ? height : 0u - height);
  if (bits == 16 && compression == with_masks)
    header.undecoded = "OpenCV does not read the masks of this BMP of 16 bits; convert it to PNG";
  return header;
}

}  // namespace weir::imgcodecs
