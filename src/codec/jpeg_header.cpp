#include <algorithm>
#include <cstdint>
#include <optional>

#include "codec/format.hpp"
#include "codec/jpeg_part.hpp"

namespace weir::codec {
namespace {

// ITU-T T.81, table B.1.
enum Marker : std::uint8_t {
  tem = 0x01,
  sof0 = 0xc0,
  dht = 0xc4,
  jpg = 0xc8,
  dac = 0xcc,
  sof15 = 0xcf,
  rst0 = 0xd0,
  rst7 = 0xd7,
  soi = 0xd8,
  eoi = 0xd9,
  sos = 0xda,
  dri = 0xdd,
  dhp = 0xde,
  app0 = 0xe0,
  app1 = 0xe1,
  app15 = 0xef,
  com = 0xfe,
};

bool is_frame(std::uint8_t marker) {
  return marker >= sof0 && marker <= sof15 && marker != dht && marker != jpg && marker != dac;
}
bool is_bare(std::uint8_t marker) { return marker == tem || (marker >= rst0 && marker <= rst7); }
bool is_lossless(std::uint8_t frame) { return (frame & 3) == 3; }
bool is_differential(std::uint8_t frame) { return (frame & 7) >= 5; }
bool is_arithmetic(std::uint8_t frame) { return frame > jpg; }
// The parser skips APPn and COM segments without reading them, so they cost nothing.
bool is_skipped(std::uint8_t marker) {
  return (marker >= app0 && marker <= app15) || marker == com;
}

std::uint64_t blocks_of(const ImageInfo& info) {
  constexpr std::uint32_t block = 8;
  const auto layout = info.layout.get<JpegLayout>();
  const std::uint32_t across = layout.most_across(), down = layout.most_down();
  const auto blocks = [](std::uint64_t size, std::uint32_t factor, std::uint32_t most) {
    return ((size * factor + most - 1) / most + block - 1) / block;
  };
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < info.channels; ++i)
    sum += blocks(info.width, layout.horizontal[i], across) *
           blocks(info.height, layout.vertical[i], down);
  return sum;
}

struct ScanWalk {
  std::uint64_t scans = 0;
  bool end = false;  ///< whether an EOI was found
};

/// Walks from anywhere after SOS to EOI, to the end of the bytes or to more than `most` additional
/// scans. `pending` is a marker that was already read; 0 for none.
ScanWalk walk_scans(Bytes rest, std::uint8_t pending, std::uint64_t most) noexcept {
  std::size_t at = 0;
  ScanWalk walk;
  for (std::uint8_t marker = pending != 0 ? pending : jpeg_next_marker(rest, at); marker != 0;
       marker = jpeg_next_marker(rest, at)) {
    if (marker == eoi) walk.end = true;
    if (marker == sos) ++walk.scans;
    if (walk.end || walk.scans > most) break;
    if (is_bare(marker)) continue;
    if (!rest.has(at, 2)) break;
    at += rest.be16(at);
  }
  return walk;
}

/// One pass over the marker segments before the first scan.
class HeaderReader {
 public:
  HeaderReader(Bytes bytes, const DecodeLimits& limits, bool strict)
      : bytes_(bytes), limits_(limits), strict_(strict) {}

  Result<ImageInfo> read() {
    at_ = 2;
    for (std::uint32_t markers = 1;; ++markers) {
      if (markers > limits_.max_markers)
        return over_limit("more than ", limits_.max_markers,
                          " JPEG markers, which is `max_markers`");
      if (auto cut = find_marker()) return *std::move(cut);
      if (read_bytes_ > limits_.max_header_bytes) {
        return over_limit("JPEG header of more than ", limits_.max_header_bytes,
                          " bytes, which is `max_header_bytes`");
      }
      const std::uint8_t marker = bytes_.u8(at_++);
      if (is_bare(marker)) continue;
      if (marker == soi) return corrupt_at(at_ - 1, "second SOI");
      if (marker == eoi) return corrupt_at(at_ - 1, "EOI before the first scan");
      if (!bytes_.has(at_, 2)) return truncated_at(bytes_.size(), "cut inside a marker segment");
      const std::uint32_t length = bytes_.be16(at_);
      if (length < 2) return corrupt_at(at_, "marker segment of length ", length);
      if (!bytes_.has(at_, length))
        return truncated_at(bytes_.size(), "cut inside a marker segment");
      const Bytes body = bytes_.part(at_ + 2, length - 2);
      if (marker == sos) {
        scan_components_ = body.size() > 0 ? body.u8(0) : std::uint8_t{0};
        return finish(body);
      }
      if (auto defect = visit(marker, body)) return *std::move(defect);
      if (!is_skipped(marker)) read_bytes_ += length;
      at_ += length;
    }
  }

 private:
  // Junk before a marker is libjpeg's "extraneous bytes", which strict mode allows.
  std::optional<Defect> find_marker() {
    const std::size_t start = at_;
    for (; bytes_.has(at_, 2); ++at_) {
      if (bytes_.u8(at_) == 0xff && bytes_.u8(at_ + 1) != 0xff && bytes_.u8(at_ + 1) != 0) {
        read_bytes_ += ++at_ - start;
        return std::nullopt;
      }
      // Junk contains no image data. FF 00 here is a marker whose code was overwritten, so a
      // segment is missing.
      if (bytes_.u8(at_) == 0xff && bytes_.u8(at_ + 1) == 0) {
        if (strict_) return corrupt_at(at_, "FF 00 where a marker belongs");
        info_.damaged = true;
      }
      if (at_ - start > limits_.max_header_bytes)
        return over_limit("no JPEG marker within `max_header_bytes` ", limits_.max_header_bytes);
    }
    return truncated_at(bytes_.size(), "cut before the first scan");
  }

  std::optional<Defect> visit(std::uint8_t marker, Bytes body) {
    if (is_frame(marker)) return frame(marker, body);
    if (marker == dhp) hierarchical_ = true;
    if (marker == dri && body.size() == 2)
      layout_.restart_interval = static_cast<std::uint16_t>(body.be16(0));
    constexpr std::string_view exif("Exif\0\0", 6);
    if (marker == app1 && !has_exif_ && body.matches(0, exif)) {
      has_exif_ = true;
      info_.orientation = exif_orientation(body.part(exif.size(), body.size() - exif.size()));
    }
    return std::nullopt;
  }

  std::optional<Defect> frame(std::uint8_t marker, Bytes body) {
    if (frame_) return corrupt_at(at_, "second frame header");
    if (body.size() < 6 || body.size() != 6 + 3u * body.u8(5))
      return corrupt_at(at_, "frame header of a wrong length");
    frame_ = marker;
    layout_.size = static_cast<std::uint32_t>(at_ + 3);
    info_.bit_depth = body.u8(0);
    info_.height = body.be16(1);
    info_.width = body.be16(3);
    info_.channels = body.u8(5);
    info_.progressive = (marker & 3) == 2;
    if (info_.width == 0 || info_.height == 0) return corrupt_at(at_, "width or height of 0");
    if (info_.channels == 0) return corrupt_at(at_, "no components");
    for (std::size_t i = 0; i < info_.channels && i < layout_.horizontal.size(); ++i) {
      const std::uint8_t factors = body.u8(7 + 3 * i);
      layout_.horizontal[i] = factors >> 4;
      layout_.vertical[i] = factors & 15;
      if (factors >> 4 < 1 || factors >> 4 > 4 || (factors & 15) < 1 || (factors & 15) > 4)
        return corrupt_at(at_, "sampling factors beyond 1 to 4");
    }
    if (marker == sof0 && info_.bit_depth != 8)
      return corrupt_at(at_, "baseline frame of ", info_.bit_depth, " bits");
    return std::nullopt;
  }

  Result<ImageInfo> finish(Bytes scan) {
    if (!frame_) return corrupt_at(at_, "scan without a frame header");
    if (is_differential(*frame_)) {
      if (!hierarchical_) return corrupt_at(at_, "differential frame outside a hierarchy");
      return unsupported("hierarchical JPEG");
    }
    if (is_lossless(*frame_)) {
      // A lossless scan has a predictor 1-7 and a spectral end of 0 (T.81, table B.3).
      const std::size_t n = scan.size();
      if (n < 4 || scan.u8(n - 3) < 1 || scan.u8(n - 3) > 7 || scan.u8(n - 2) != 0) {
        return corrupt_at(at_, "lossless frame with the scan of another kind");
      }
      return unsupported("lossless JPEG");
    }
    if (info_.bit_depth != 8) return unsupported("JPEG of ", info_.bit_depth, " bits per sample");
    if (info_.channels == 2 || info_.channels > 4)
      return unsupported("JPEG of ", info_.channels, " components");
    layout_.several_scans = info_.progressive || scan_components_ < info_.channels;
    const std::size_t behind = at_ + 2 + scan.size();
    layout_.scan = static_cast<std::uint32_t>(behind);
    info_.layout.set(layout_);
    if (auto defect = exceeded(info_, limits_)) return *std::move(defect);
    const Bytes scans = bytes_.part(behind, bytes_.size() - behind);
    if (auto defect = implausible(scans)) return *std::move(defect);
    if (!has_segments(scans)) layout_.restart_interval = 0;
    info_.layout.set(layout_);
    return info_;
  }

  /// Rejects frames for which the scans are too short, and files with too many scans, before their
  /// memory is allocated.
  std::optional<Defect> implausible(Bytes scans) const {
    if (layout_.several_scans && walk_scans(scans, 0, limits_.max_scans).scans > limits_.max_scans)
      return over_limit("more than ", limits_.max_scans,
                        " scans behind the first, which is `max_scans`");
    // Every block has at least a DC code, and every Huffman code has at least one bit.
    const std::uint64_t least = (blocks_of(info_) + 7) / 8;
    if (!strict_ || is_arithmetic(*frame_) || scans.size() >= least) return std::nullopt;
    const std::string reason = concat(info_.width, "x", info_.height, " pixels in ", scans.size(),
                                      " bytes of scans, fewer than ", least);
    if (bytes_.matches(bytes_.size() - 2, "\xff\xd9")) return corrupt_at(at_, reason);
    return truncated_at(bytes_.size(), reason);
  }

  /// Whether the decoder can begin at restart markers. A segment has at least one byte and a
  /// marker, so a small file cannot claim memory for a long list of segments.
  bool has_segments(Bytes scan) const {
    return layout_.restart_interval != 0 && !layout_.several_scans && !is_arithmetic(*frame_) &&
           bytes_.size() <= UINT32_MAX && jpeg_segments(info_) <= scan.size() / 3;
  }

  Bytes bytes_;
  const DecodeLimits& limits_;
  bool strict_;
  ImageInfo info_{.format = &jpeg_format};
  JpegLayout layout_;
  std::size_t at_ = 0;
  std::uint64_t read_bytes_ = 0;
  std::optional<std::uint8_t> frame_;
  std::uint8_t scan_components_ = 0;
  bool hierarchical_ = false;
  bool has_exif_ = false;
};

}  // namespace

Result<ImageInfo> read_jpeg_header(Bytes encoded, const DecodeLimits& limits, bool strict) {
  return HeaderReader(encoded, limits, strict).read();
}

bool jpeg_reaches_end(Bytes rest, std::uint8_t pending) noexcept {
  return walk_scans(rest, pending, UINT64_MAX).end;
}

}  // namespace weir::codec
