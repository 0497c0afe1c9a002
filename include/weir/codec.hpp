#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weir/export.hpp"
#include "weir/image.hpp"

namespace weir {

/// Bounds that are checked in the header, before large allocations and long computations. A sample
/// that exceeds one is a Fault of kind `limit`.
struct DecodeLimits {
  std::uint64_t max_pixels = 100'000'000;         ///< height · width
  std::uint32_t max_side = 65'500;                ///< longer side in pixels
  std::uint32_t max_scans = 100;                  ///< JPEG: scans after the first one
  std::uint64_t max_encoded_bytes = 64ull << 20;  ///< encoded bytes of one sample
  /// Bytes of a JPEG before the first scan, without APPn and COM segments.
  std::uint64_t max_header_bytes = 1ull << 20;
  std::uint32_t max_markers = 1000;                ///< JPEG: markers before the first scan
  std::uint64_t max_ancillary_bytes = 1ull << 20;  ///< size of one ancillary PNG chunk
};

/// A decoder for formats that weir does not decode itself. Register it in Options::codecs. Called
/// from many threads at once. Example: `weir::opencv_codec()` in weir/interop/opencv_codec.hpp
/// decodes BMP, TIFF and PNM. weir itself decodes binary PGM and PPM of 8 bits.
class ForeignCodec {
 public:
  /// The properties of an image that its header states.
  struct Info {
    std::uint32_t width = 0;          ///< pixels, as stored
    std::uint32_t height = 0;         ///< pixels, as stored
    std::uint64_t scratch_bytes = 0;  ///< maximum that the decoder allocates
  };
  virtual ~ForeignCodec() = default;
  /// Whether the codec can decode data with these first bytes. Must not allocate.
  virtual bool accepts(std::span<const std::byte> head) const noexcept = 0;
  /// Parses the header only. Throws SampleError.
  virtual Info info(std::span<const std::byte> encoded) const = 0;
  /// Whether decode() writes this format. weir makes bgr8 and grey8 of rgb8 by itself. Must not
  /// allocate.
  virtual bool writes(PixelFormat format) const noexcept { return format == PixelFormat::rgb8; }
  /// Writes all pixels in a format for which writes() is true; rgb8: height*width*3 bytes. Throws
  /// SampleError.
  virtual void decode(PixelFormat format, std::span<const std::byte> encoded, const Info& info,
                      std::span<std::uint8_t> pixels) const = 0;
};

}  // namespace weir
