#pragma once

#include <optional>
#include <span>

#include "support.hpp"

namespace weir::codec::test {

struct JpegStyle {
  int quality = 90;
  int sampling = 2;  ///< of luma: 2 is 4:2:0, 1 is 4:4:4
  int rows = 0;      ///< of luma, vertically; 0: same as `sampling`
  int chroma = 1, chroma_rows = 1;
  bool progressive = false, arithmetic = false, adobe_cmyk = true;
  int restart_rows = 0;
  unsigned restart_interval = 0;  ///< in MCUs
  bool rgb = false;               ///< 3 channels without the conversion to YCbCr
  bool ycck = false;              ///< 4 channels with the conversion from CMYK
  bool optimize = false;
};

/// Grey for 1 channel, YCbCr for 3, CMYK for 4.
Encoded encode_jpeg(const Raster& raster, const JpegStyle& style = {});

/// The same coefficients, as a baseline file with a restart interval of so many MCUs.
Encoded with_restart_interval(const Encoded& jpeg, unsigned interval);

/// A complete decode with libjpeg only. 4-channel files give CMYK as stored.
Raster reference_jpeg(const Encoded& encoded);

/// The result of libjpeg alone, CMYK as stored. Empty after an error, or after a warning that
/// strict mode does not permit.
std::optional<Raster> reference_strict(std::span<const std::byte> encoded);

/// `encoded` with an EXIF segment after its SOI.
Encoded with_exif(const Encoded& encoded, std::uint8_t orientation, bool little_endian = true);

struct PngStyle {
  int depth = 8, colour = 2;  ///< as in IHDR
  bool interlaced = false;
  std::size_t palette_size = 256;
  bool transparency = false;
};

/// Rows as PNG packs them, most significant bit or byte first. The palette is palette_entry().
Encoded encode_png(std::uint32_t width, std::uint32_t height, const Pixels& packed,
                   const PngStyle& style);

inline std::uint8_t palette_entry(std::size_t index, std::size_t channel) {
  return static_cast<std::uint8_t>(index * (7 + 2 * channel) + 30 * channel + 5);
}

Encoded encode_webp(const Raster& raster, std::optional<float> lossy_quality);
Raster reference_webp(const Encoded& encoded);

}  // namespace weir::codec::test
