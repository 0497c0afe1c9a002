#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/checked.hpp"
#include "codec/decoder.hpp"

namespace weir::codec {

/// Position of the frame data in a WebP file.
struct WebpLayout {
  std::size_t frame = 0, frame_bytes = 0;
  bool lossless = false;
};

/// Computes the length of the file prefix for each piece. With every piece, libwebp decodes
/// unfinished parts again: the chunks before the frame, and the tables before the pixels of a
/// lossless frame. The lengths keep the total work linear in the file.
class WebpPieces {
 public:
  /// Mean number of pixels between two checks of `cancelled`, about 15 ms. A smaller image is
  /// decoded in one piece.
  static constexpr std::uint64_t pixels = 1 << 19;

  WebpPieces(const ImageInfo& info, std::size_t file_bytes) noexcept : file_(file_bytes) {
    const auto [frame, frame_bytes, lossless] = info.layout.get<WebpLayout>();
    frame_ = std::min(frame, file_);
    bytes_ = std::min(frame_bytes, file_ - frame_);
    lossless_ = lossless;
    const auto piece = mul_sat(bytes_, pixels) / (std::uint64_t{info.width} * info.height);
    piece_ = static_cast<std::size_t>(std::max<std::uint64_t>(1, piece));
  }

  /// The end of the next piece after one that ended at `end`; 0 for the first. `has_header`:
  /// libwebp has decoded everything before the pixels.
  std::size_t behind(std::size_t end, bool has_header) const noexcept {
    const std::size_t given = std::min(end > frame_ ? end - frame_ : 0, bytes_);
    std::size_t more = piece_;
    // Lengths double, so that all repeated work costs no more than the last piece. libwebp requires
    // at least an eighth of a lossless frame.
    if (lossless_ && !has_header) more = std::max({more, given, bytes_ / 8});
    return more < bytes_ - given ? frame_ + given + more : file_;
  }

 private:
  std::size_t file_, frame_, bytes_, piece_;
  bool lossless_;
};

}  // namespace weir::codec
