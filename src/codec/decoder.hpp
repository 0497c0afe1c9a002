#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/defect.hpp"
#include "codec/geometry.hpp"
#include "weir/codec.hpp"
#include "weir/image.hpp"

namespace weir::codec {

enum class Format : std::uint8_t { jpeg, png, webp, foreign };

/// What the header says: enough to admit the decode, nothing decoded yet.
struct ImageInfo {
  Format format = Format::jpeg;
  std::uint32_t width = 0, height = 0;  ///< as stored
  std::uint8_t channels = 3;            ///< as stored: 1 grey, 2 grey + alpha, 3, 4 (RGBA, CMYK, YCCK)
  std::uint8_t bit_depth = 8;
  std::uint8_t orientation = 1;         ///< EXIF 1-8
  bool progressive = false;             ///< JPEG progressive, PNG interlaced
  const ForeignCodec* foreign = nullptr;
  std::uint64_t foreign_scratch = 0;  ///< allocated by the foreign codec itself, not part of scratch_bytes()
  bool damaged = false;               ///< lenient mode: the file is cut, the pixels are worth a try
};

struct DecoderOptions {
  FitSpec fit{};
  Exif exif = Exif::apply;
  bool strict = true;
  DecodeLimits limits{};
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
};

/// How a decode went. `fit_ns` is the part of the time spent cropping and resizing.
struct Decoded {
  RowStatus status = RowStatus::ok;
  std::uint64_t fit_ns = 0;
};

/// Encoded bytes to a row of a slab. One a worker: it keeps decoder objects and tables. Not
/// thread-safe; nothing it does outlives a call.
class Decoder {
 public:
  explicit Decoder(DecoderOptions options);
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  /// Decides by magic bytes, reads the header with a bounded parser, applies the limits.
  Result<ImageInfo> probe(std::span<const std::byte> encoded) const;

  /// Exactly the bytes of scratch that decode() wants for this image and window.
  std::uint64_t scratch_bytes(const ImageInfo& info, std::uint64_t draw) const;

  /// Decodes, crops and resizes into `row` (out.height * out.width * 3, every byte written).
  /// `scratch` is at least scratch_bytes() long and aligned to 64. Reads `cancelled` between rows;
  /// a cancelled decode gives a Defect that nobody will see.
  Result<Decoded> decode(std::span<const std::byte> encoded, const ImageInfo& info, std::uint64_t draw,
                         std::span<std::byte> scratch, const std::atomic<bool>& cancelled,
                         std::span<std::uint8_t> row);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::codec
