#include <algorithm>

#include "codec/format.hpp"
#include "codec/webp_pieces.hpp"

namespace weir::codec {
namespace {

constexpr std::size_t riff_bytes = 12, chunk_header_bytes = 8;

struct Frame {
  std::uint32_t width = 0, height = 0;
  bool alpha = false;
};

/// RFC 6386, section 9.1.
Result<Frame> read_vp8(Bytes data, std::size_t at) {
  if (data.size() < 10) return truncated_at(at + data.size(), "cut inside the VP8 frame header");
  if ((data.u8(0) & 1) != 0 || !data.matches(3, "\x9d\x01\x2a"))
    return corrupt_at(at, "no VP8 key frame");
  return Frame{data.le16(6) & 0x3fff, data.le16(8) & 0x3fff, false};
}

/// WebP Lossless Bitstream Specification, section 3.
Result<Frame> read_vp8l(Bytes data, std::size_t at) {
  if (data.size() < 5) return truncated_at(at + data.size(), "cut inside the VP8L header");
  if (data.u8(0) != 0x2f) return corrupt_at(at, "no VP8L signature");
  const std::uint32_t bits = data.le32(1);
  if ((bits >> 29) != 0) return corrupt_at(at, "unknown VP8L version");
  return Frame{(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1, ((bits >> 28) & 1) != 0};
}

std::uint8_t orientation_of(Bytes exif) {
  constexpr std::string_view prefix("Exif\0\0", 6);
  return exif_orientation(
      exif.matches(0, prefix) ? exif.part(prefix.size(), exif.size() - prefix.size()) : exif);
}

}  // namespace

Result<ImageInfo> read_webp_header(Bytes webp, const DecodeLimits&, bool strict) {
  if (!webp.has(0, riff_bytes + chunk_header_bytes))
    return truncated_at(webp.size(), "cut inside the RIFF header");
  const std::uint64_t declared = std::uint64_t{webp.le32(4)} + 8;
  const bool cut = declared > webp.size();
  if (cut && strict) {
    return truncated_at(webp.size(), "RIFF says ", declared, " bytes, there are ", webp.size());
  }
  const std::size_t end = static_cast<std::size_t>(std::min<std::uint64_t>(declared, webp.size()));

  ImageInfo info{.format = &webp_format, .damaged = cut};
  std::uint32_t canvas_width = 0, canvas_height = 0;
  bool extended = false, has_frame = false;
  for (std::size_t at = riff_bytes; at + chunk_header_bytes <= end;) {
    const std::uint64_t length = webp.le32(at + 4);
    const std::size_t start = at + chunk_header_bytes, left = end - start;
    if (length > left && !cut) return corrupt_at(at, "chunk longer than its RIFF file");
    const Bytes data =
        webp.part(start, static_cast<std::size_t>(std::min<std::uint64_t>(length, left)));

    if (webp.matches(at, "VP8X") && at == riff_bytes) {
      if (data.size() < 10) return corrupt_at(at, "short VP8X chunk");
      if ((data.u8(0) & 0x02) != 0) return unsupported("animated WebP");
      extended = true;
      canvas_width = data.le24(4) + 1;
      canvas_height = data.le24(7) + 1;
    } else if (!has_frame && (webp.matches(at, "VP8 ") || webp.matches(at, "VP8L"))) {
      auto frame = webp.u8(at + 3) == 'L' ? read_vp8l(data, start) : read_vp8(data, start);
      if (!frame) return frame.defect();
      has_frame = true;
      info.width = frame->width;
      info.height = frame->height;
      if (frame->alpha) info.channels = 4;  // the ALPH of a lossy frame comes before it
      info.layout.set(WebpLayout{start, data.size(), webp.u8(at + 3) == 'L'});
    } else if (webp.matches(at, "ANMF")) {
      return unsupported("animated WebP");
    } else if (webp.matches(at, "ALPH")) {
      info.channels = 4;
    } else if (webp.matches(at, "EXIF")) {
      info.orientation = orientation_of(data);
    }
    if (length + (length & 1) >= left) break;
    at = start + static_cast<std::size_t>(length + (length & 1));
  }
  info.alpha = info.channels == 4;
  if (!has_frame) return corrupt_at(end, "no VP8 or VP8L frame");
  if (info.width == 0 || info.height == 0) return corrupt_at(riff_bytes, "width or height of 0");
  if (extended && (info.width != canvas_width || info.height != canvas_height)) {
    return corrupt_at(riff_bytes, "frame and canvas differ in size");
  }
  return info;
}

}  // namespace weir::codec
