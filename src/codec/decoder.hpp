#pragma once

#include <array>
#include <atomic>
#include <cstddef>
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

struct DecoderOptions {
  FitSpec fit{};
  Exif exif = Exif::apply;
  bool strict = true;
  bool antialias = false;
  Decode decode = Decode::exact;
  /// The row is the upright image at its own size, whatever the fit.
  bool whole = false;
  DecodeLimits limits{};
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
};

/// What one decode takes. `scratch` is handed in; `reserved` is what third parties without a hook
/// (libwebp, a foreign codec) allocate by themselves at most, to be charged beside it.
struct MemoryNeed {
  std::uint64_t scratch = 0, reserved = 0;
};

/// How a decode went. `fit_ns` is about the part of the time spent resizing and turning.
struct Decoded {
  RowStatus status = RowStatus::ok;
  std::uint64_t fit_ns = 0;
};

/// Of an image upright, or as stored where `exif` ignores what it says.
Shape upright_shape(const ImageInfo& info, Exif exif) noexcept;

/// Encoded bytes to a row of a slab. One a worker: it keeps decoder objects and tables. Not
/// thread-safe; nothing it does outlives a call.
class Decoder {
 public:
  explicit Decoder(DecoderOptions options);
  Decoder(Decoder&&) noexcept;
  ~Decoder();

  /// Decides by magic bytes, reads the header with a bounded parser, applies the limits.
  Result<ImageInfo> probe(std::span<const std::byte> encoded) const;

  /// Of the image upright, as Options::exif has it.
  Shape upright(const ImageInfo& info) const noexcept;
  /// From now on each image becomes the upper left height x width of a row of `out`.
  void aim(const Shape& out, std::uint32_t height, std::uint32_t width) noexcept;

  /// Of the row that decode() writes.
  Shape out(const ImageInfo& info) const noexcept;

  /// The memory that decode() wants for this image and window.
  MemoryNeed need(const ImageInfo& info, std::uint64_t draw) const;

  /// Decodes, crops and resizes into `row` (out(info), every byte written).
  /// `scratch` is at least need().scratch long and aligned to 64. Reads `cancelled` between rows;
  /// a cancelled decode gives a Defect that nobody will see.
  Result<Decoded> decode(std::span<const std::byte> encoded, const ImageInfo& info,
                         std::uint64_t draw, std::span<std::byte> scratch,
                         const std::atomic<bool>& cancelled, std::span<std::uint8_t> row);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::codec
