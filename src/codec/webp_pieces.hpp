#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

/// Where the data of a WebP's frame lies in the file.
struct WebpLayout {
  std::size_t frame = 0, frame_bytes = 0;
  bool lossless = false;
};

/// How far into a WebP each piece reaches that libwebp gets to decode. The work of all pieces is to be
/// linear in the file: libwebp begins anew, with every piece, whatever it could not end with the one
/// before, the chunks in front of the frame and the tables in front of a lossless frame's pixels.
class WebpPieces {
 public:
  /// As many pixels are decoded, on average, between two looks at `cancelled`: some 15 ms. An image
  /// that has no more is decoded in one piece.
  static constexpr std::uint64_t pixels = 1 << 19;

  WebpPieces(const ImageInfo& info, std::size_t file_bytes) noexcept : file_(file_bytes) {
    const auto [frame, frame_bytes, lossless] = info.layout.get<WebpLayout>();
    frame_ = std::min(frame, file_);
    bytes_ = std::min(frame_bytes, file_ - frame_);
    lossless_ = lossless;
    const auto piece = mul_sat(bytes_, pixels) / (std::uint64_t{info.width} * info.height);
    piece_ = static_cast<std::size_t>(std::max<std::uint64_t>(1, piece));
  }

  /// The end of the piece behind one that reached to `end`, 0 before the first. `has_header`: libwebp
  /// is through with what stands before the pixels.
  std::size_t behind(std::size_t end, bool has_header) const noexcept {
    const std::size_t given = std::min(end > frame_ ? end - frame_ : 0, bytes_);
    std::size_t more = piece_;
    // Doubled, so that beginning anew costs no more than the last time does. libwebp looks at no less
    // than an eighth of a lossless frame.
    if (lossless_ && !has_header) more = std::max({more, given, bytes_ / 8});
    return more < bytes_ - given ? frame_ + given + more : file_;
  }

 private:
  std::size_t file_, frame_, bytes_, piece_;
  bool lossless_;
};

}  // namespace weir::codec
