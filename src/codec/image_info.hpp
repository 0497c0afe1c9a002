#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "weir/codec.hpp"

namespace weir::codec {

enum class Format : std::uint8_t { jpeg, png, webp, foreign };

/// What of a JPEG's frame decides the memory of its decode.
struct JpegLayout {
  std::array<std::uint8_t, 4> horizontal{}, vertical{};  ///< sampling factors by component, 1-4
  bool several_scans = false;  ///< coefficients of the whole image are kept
};

/// Where the data of a WebP's frame lies in the file.
struct WebpLayout {
  std::size_t frame = 0, frame_bytes = 0;
  bool lossless = false;
};

/// What the header says: enough to admit the decode, nothing decoded yet.
struct ImageInfo {
  Format format = Format::jpeg;
  std::uint32_t width = 0, height = 0;  ///< as stored
  std::uint8_t channels = 3;  ///< as stored: 1 grey, 2 grey + alpha, 3, 4 (RGBA, CMYK, YCCK)
  std::uint8_t bit_depth = 8;
  std::uint8_t orientation = 1;  ///< EXIF 1-8
  bool progressive = false;      ///< JPEG progressive, PNG interlaced
  JpegLayout jpeg{};
  WebpLayout webp{};
  const ForeignCodec* foreign = nullptr;
  std::uint64_t foreign_scratch = 0;  ///< allocated by the foreign codec itself
  bool damaged = false;               ///< lenient mode: the file is cut, the pixels are worth a try
};

}  // namespace weir::codec
