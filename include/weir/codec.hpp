#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "weir/export.hpp"

namespace weir {

/// Bounds applied to a header before any large allocation or long work. What exceeds one is a
/// Fault of kind `limit`.
struct DecodeLimits {
  std::uint64_t max_pixels = 100'000'000;         ///< height · width
  std::uint32_t max_side = 65'500;                ///< pixels, the longer one
  std::uint32_t max_scans = 100;                  ///< JPEG: scans that may follow the first
  std::uint64_t max_encoded_bytes = 64ull << 20;  ///< of one sample, as it lies in its source
  /// Bytes of a JPEG before the first scan; APPn and COM are jumped over.
  std::uint64_t max_header_bytes = 1ull << 20;
  std::uint32_t max_markers = 1000;                ///< JPEG: before the first scan
  std::uint64_t max_ancillary_bytes = 1ull << 20;  ///< one ancillary PNG chunk
};

/// A decoder for formats that weir does not read itself (its README lists those it does). Handed to
/// Options::codecs. Called from many threads at once. `weir::opencv_codec()` in
/// weir/interop/opencv_codec.hpp is one, for BMP, TIFF and the like.
class ForeignCodec {
 public:
  /// What a header says.
  struct Info {
    std::uint32_t width = 0;          ///< pixels, as stored
    std::uint32_t height = 0;         ///< pixels, as stored
    std::uint64_t scratch_bytes = 0;  ///< most the decoder allocates on its own, worst case
  };
  virtual ~ForeignCodec() = default;
  /// Whether the first bytes are of a format this codec reads. Must not allocate.
  virtual bool accepts(std::span<const std::byte> head) const noexcept = 0;
  /// Reads the header alone. Throws SampleError.
  virtual Info info(std::span<const std::byte> encoded) const = 0;
  /// Writes height*width*3 bytes of RGB. Throws SampleError.
  virtual void decode(std::span<const std::byte> encoded, const Info& info,
                      std::span<std::uint8_t> rgb) const = 0;
};

}  // namespace weir
