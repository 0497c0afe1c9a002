#include <algorithm>
#include <string>
#include <string_view>

#include "codec/format.hpp"

namespace weir::codec {
namespace {

bool is_letters(std::string_view type) {
  return std::ranges::all_of(type, [](char c) { return (c | 0x20) >= 'a' && (c | 0x20) <= 'z'; });
}
bool is_ancillary(std::string_view type) { return (type[0] & 0x20) != 0; }

// PNG (ISO/IEC 15948), table 11.1: the allowed depths of each colour type, as a mask of their bits.
std::uint32_t allowed_depths(std::uint8_t colour) {
  switch (colour) {
    case 0: return 1 | 2 | 4 | 8 | 16;
    case 3: return 1 | 2 | 4 | 8;
    case 2:
    case 4:
    case 6: return 8 | 16;
    default: return 0;
  }
}
std::uint8_t channels_of(std::uint8_t colour) {
  return colour == 0 ? 1 : colour == 4 ? 2 : colour == 6 ? 4 : 3;
}

constexpr std::size_t signature_bytes = 8, chunk_overhead = 12, ihdr_bytes = 13;
constexpr std::uint32_t max_chunk_bytes = 0x7fffffff;

/// CRC-32 of annex D, bit by bit, because it processes only the 17 bytes of IHDR. libpng checks the
/// other chunks, but the limits use these numbers before libpng is called.
std::uint32_t crc32(Bytes bytes) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    crc ^= bytes.u8(i);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
  }
  return ~crc;
}

Result<ImageInfo> read_ihdr(Bytes png) {
  constexpr std::size_t at = signature_bytes + 8;
  if (!png.has(signature_bytes, 8)) return truncated_at(png.size(), "cut inside IHDR");
  if (png.be32(signature_bytes) != ihdr_bytes || !png.matches(signature_bytes + 4, "IHDR")) {
    return corrupt_at(signature_bytes, "no IHDR");
  }
  if (!png.has(at, ihdr_bytes + 4)) return truncated_at(png.size(), "cut inside IHDR");
  if (crc32(png.part(at - 4, ihdr_bytes + 4)) != png.be32(at + ihdr_bytes)) {
    return corrupt_at(at + ihdr_bytes, "wrong CRC of IHDR");
  }
  const std::uint8_t colour = png.u8(at + 9);
  ImageInfo info{.format = &png_format,
                 .width = png.be32(at),
                 .height = png.be32(at + 4),
                 .channels = channels_of(colour),
                 .bit_depth = png.u8(at + 8),
                 .progressive = png.u8(at + 12) == 1,
                 .alpha = (colour & 4) != 0,
                 .palette = colour == PngLayout::palette};
  info.layout.set(PngLayout{colour});
  if (info.width == 0 || info.height == 0) return corrupt_at(at, "width or height of 0");
  if (info.width > max_chunk_bytes || info.height > max_chunk_bytes)
    return corrupt_at(at, "width or height above 2^31 - 1");
  const std::uint32_t depth = info.bit_depth;
  if (depth == 0 || (depth & (depth - 1)) != 0 || (allowed_depths(colour) & depth) == 0) {
    return corrupt_at(at, "colour type ", colour, " at ", depth, " bits");
  }
  if (png.u8(at + 10) != 0 || png.u8(at + 11) != 0 || png.u8(at + 12) > 1) {
    return corrupt_at(at, "unknown compression, filter or interlace method");
  }
  return info;
}

}  // namespace

Result<ImageInfo> read_png_header(Bytes png, const DecodeLimits& limits, bool strict) {
  auto info = read_ihdr(png);
  if (!info) return info;
  const std::uint8_t colour = png.u8(signature_bytes + 8 + 9);
  bool has_palette = false, has_data = false;

  const auto cut = [&]() -> Result<ImageInfo> {
    if (strict || !has_data) return truncated_at(png.size(), "cut before IEND");
    info->damaged = true;
    return info;
  };
  for (std::size_t at = signature_bytes + chunk_overhead + ihdr_bytes;;) {
    if (!png.has(at, chunk_overhead)) return cut();
    const std::uint32_t length = png.be32(at);
    const std::string_view type = png.text(at + 4, 4);
    if (!is_letters(type)) return corrupt_at(at + 4, "chunk type that is no text");
    if (is_ancillary(type) && length > limits.max_ancillary_bytes) {
      return over_limit(type, " chunk of ", length, " bytes is above `max_ancillary_bytes` ",
                        limits.max_ancillary_bytes);
    }
    if (length > max_chunk_bytes) return corrupt_at(at, type, " chunk longer than 2^31 - 1");
    if (type == "IDAT") {
      if (colour == PngLayout::palette && !has_palette)
        return corrupt_at(at, "palette image without PLTE");
      has_data = true;
    }
    if (!png.has(at + 8, std::uint64_t{length} + 4)) return cut();
    if (type == "IEND") {
      if (!has_data) return corrupt_at(at, "no IDAT");
      return info;
    }
    if (type == "PLTE") {
      has_palette = true;
    } else if (type == "tRNS") {
      info->alpha = true;
    } else if (type == "eXIf") {
      info->orientation = exif_orientation(png.part(at + 8, length));
    } else if (type == "IHDR") {
      return corrupt_at(at, "second IHDR");
    } else if (!is_ancillary(type) && type != "IDAT") {
      return corrupt_at(at, "unknown critical chunk ", type);
    }
    at += chunk_overhead + length;
  }
}

}  // namespace weir::codec
