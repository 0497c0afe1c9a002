#include <algorithm>
#include <array>
#include <optional>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "codec/imgcodecs/headers.hpp"

namespace weir::imgcodecs {
namespace {

enum Tag : std::uint32_t {
  image_width = 256,
  image_height = 257,
  bits_per_sample = 258,
  compression = 259,
  photometric = 262,
  orientation = 274,
  samples_per_pixel = 277,
  rows_per_strip = 278,
  planar_configuration = 284,
  tile_width = 322,
  tile_height = 323,
  extra_samples = 338,
  sample_format = 339,
  image_depth = 32997,
  tile_depth = 32998,
};
constexpr std::uint32_t jpeg = 7;          ///< number of this compression
constexpr std::uint32_t unassociated = 2;  ///< number of this kind of alpha
/// Numbers of photometric interpretations.
constexpr std::uint32_t white_is_zero = 0, black_is_zero = 1, rgb = 2, palette = 3, cmyk = 5,
                        ycbcr = 6, lab = 8;

class Directory {
 public:
  explicit Directory(codec::Bytes tiff) : tiff_(tiff), little_(tiff.matches(0, "II")) {
    require(tiff.has(4, 4), FaultKind::truncated, "cut inside the TIFF header");
    const std::uint64_t at = u32(4);
    require(tiff.has(at, 2), FaultKind::truncated, "TIFF directory beyond the end");
    first_ = static_cast<std::size_t>(at) + 2;
    end_ = first_ + u16(first_ - 2) * entry_bytes;
    require(end_ <= tiff.size(), FaultKind::truncated, "cut inside the TIFF directory");
    std::uint64_t value_bytes = 0;
    for (std::size_t entry = first_; entry < end_; entry += entry_bytes)
      value_bytes += bytes_of_values(entry);
    // Otherwise thousands of tags could each make libtiff keep a copy of the same bytes.
    require(value_bytes <= tiff.size(), FaultKind::corrupt,
            "TIFF directory with more values than the file has bytes");
    bytes_ = (end_ - first_) / entry_bytes * 512 + value_bytes * 2;
  }

  /// The single value of a tag that affects memory. If a tag occurs twice, libtiff uses the first
  /// and other readers the last. libtiff also reads types that others skip. Such tags are rejected.
  std::optional<std::uint32_t> operator[](Tag tag) const {
    std::optional<std::uint32_t> value;
    for (std::size_t entry = first_; entry < end_; entry += entry_bytes) {
      if (u16(entry) != tag) continue;
      const std::uint32_t type = u16(entry + 2), count = u32(entry + 4);
      const auto check = [&](bool holds, const std::string& why) {
        if (!holds)
          throw SampleError(FaultKind::corrupt,
                            concat("TIFF tag ", std::uint32_t{tag}, " at byte ", entry, " ", why));
      };
      check(!value, "is there twice");
      check(type == type_short || type == type_long, "is neither SHORT nor LONG");
      check(count == 1, concat("has ", count, " values"));
      value = type == type_short ? u16(entry + 8) : u32(entry + 8);
    }
    return value;
  }

  /// The value of a tag that has one SHORT, or one for each sample that are all alike. Empty if
  /// readers could take another.
  std::optional<std::uint32_t> alike(Tag tag, std::uint64_t samples, std::uint32_t absent) const {
    std::optional<std::uint32_t> value;
    for (std::size_t entry = first_; entry < end_; entry += entry_bytes) {
      if (u16(entry) != tag) continue;
      const std::uint32_t count = u32(entry + 4);
      if (value || u16(entry + 2) != type_short || (count != 1 && count != samples)) return {};
      const std::size_t at = count <= 2 ? entry + 8 : u32(entry + 8);
      if (!tiff_.has(at, 2 * std::uint64_t{count})) return {};
      value = u16(at);
      for (std::uint32_t i = 1; i < count; ++i)
        if (u16(at + 2 * std::size_t{i}) != *value) return {};
    }
    return value.value_or(absent);
  }

  /// Offset of the byte with the lowest bits of the value of a tag that is there once.
  std::size_t low_byte(Tag tag) const {
    std::size_t entry = first_;
    while (u16(entry) != tag) entry += entry_bytes;
    return entry + 8 + (little_ ? 0 : u16(entry + 2) == type_short ? 1 : 3);
  }

  /// Maximum that libtiff allocates for the directory: its entries, and twice their values.
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t entry_bytes = 12;
  static constexpr std::uint32_t type_short = 3, type_long = 4;

  std::uint32_t u16(std::size_t i) const { return little_ ? tiff_.le16(i) : tiff_.be16(i); }
  std::uint32_t u32(std::size_t i) const { return little_ ? tiff_.le32(i) : tiff_.be32(i); }

  /// 0 if the values are stored within the entry.
  std::uint64_t bytes_of_values(std::size_t entry) const {
    constexpr std::array<std::uint8_t, 19> of_type{0, 1, 1, 2, 4, 8, 1, 1, 2, 4,
                                                   8, 4, 8, 4, 0, 0, 8, 8, 8};
    const std::uint32_t type = u16(entry + 2);
    const auto bytes = std::uint64_t{u32(entry + 4)} * (type < of_type.size() ? of_type[type] : 0);
    return bytes <= 4 ? 0 : bytes;
  }

  codec::Bytes tiff_;
  bool little_;
  std::size_t first_ = 0, end_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Allows no compression, CCITT, LZW, JPEG, Deflate, PackBits and two simpler ones. For LZMA,
/// Zstandard and others the compressed data determine the memory: 68 bytes of LZMA can require 1.5
/// GiB.
bool is_bounded(std::uint32_t compression_tag) {
  constexpr std::array<std::uint32_t, 12> known{1, 2,     3,     4,     5,     jpeg,
                                                8, 32766, 32771, 32773, 32809, 32946};
  return std::ranges::find(known, compression_tag) != known.end();
}

/// Whether OpenCV reads such a TIFF into 8 bits.
bool is_read(std::uint32_t colours, std::uint64_t samples, std::uint32_t bits) {
  switch (colours) {
    case white_is_zero:
    case black_is_zero: return bits == 8 || bits == 16 || (bits == 1 && samples == 1);
    case rgb: return samples != 1 && (bits == 8 || bits == 16);
    case palette: return samples == 1 && (bits == 1 || bits == 8);
    case cmyk: return samples == 4 && bits == 8;
    case ycbcr: return samples == 3 && bits == 8;
    case lab: return samples == 3 && (bits == 8 || bits == 16);
    default: return false;
  }
}

/// libtiff accepts a JPEG that is taller than its strip, and libjpeg then keeps the coefficients of
/// the whole JPEG.
std::uint64_t tallest_jpeg(codec::Bytes tiff, std::uint64_t width) {
  std::uint64_t height = 0;
  for (std::size_t i = 0; tiff.has(i, 10); ++i) {
    const std::uint32_t marker = tiff.be16(i);
    const bool frame = marker == 0xffc0 || (marker > 0xffc0 && marker <= 0xffcf && marker % 4 != 0);
    if (frame && tiff.be16(i + 2) == 8u + 3 * tiff.u8(i + 9) && tiff.be16(i + 7) == width)
      height = std::max<std::uint64_t>(height, tiff.be16(i + 5));
  }
  return height;
}

}  // namespace

Header read_tiff_header(codec::Bytes tiff) {
  const Directory tags(tiff);
  const auto across = tags[tile_width], down = tags[tile_height];
  const std::uint32_t width = tags[image_width].value_or(0);
  const std::uint32_t height = tags[image_height].value_or(0);
  const std::uint64_t samples = tags[samples_per_pixel].value_or(1);
  const std::uint32_t rows = tags[rows_per_strip].value_or(0);
  const std::uint32_t coding = tags[compression].value_or(1);
  require(samples == 1 || samples == 3 || samples == 4, FaultKind::unsupported,
          "TIFF of other than 1, 3 or 4 channels");
  require(tags[image_depth].value_or(1) == 1 && tags[tile_depth].value_or(1) == 1,
          FaultKind::unsupported, "TIFF of more than one layer");
  require(is_bounded(coding), FaultKind::unsupported,
          "TIFF in a compression whose memory its header does not tell");
  require(across ? *across > 0 && down.value_or(0) > 0 : !down, FaultKind::corrupt,
          "TIFF tiles without width or height");

  // The unit of decoding: a tile, or a strip as a tile with the width of the image.
  const std::uint64_t wide = across.value_or(width);
  std::uint64_t high = down.value_or(rows == 0 || rows == 0xffffffff ? height : rows);
  if (coding == jpeg && !across) high = std::max(high, tallest_jpeg(tiff, width));
  // OpenCV allocates the whole tile, even for a small image. Encoders round up to 16, and some use
  // a fixed tile size for small images too.
  constexpr std::uint64_t common = 4096 * 4096;
  require(wide * high <= std::max(common, round_up(width, 16) * round_up(height, 16)),
          FaultKind::limit, "TIFF tile or strip larger than its image and than 4096x4096");

  const std::uint32_t bits = tags.alike(bits_per_sample, samples, 1).value_or(0);
  const std::uint32_t colours = tags.alike(photometric, 1, UINT32_MAX).value_or(UINT32_MAX);
  // OpenCV takes negative numbers as large ones.
  const bool whole = tags.alike(sample_format, samples, 1) == 1u;
  const bool joined = samples == 1 || tags.alike(planar_configuration, 1, 1) == 1u;
  // OpenCV keeps 16 bits of whole unsigned numbers, and reads beyond its buffer if planes are separate.
  const bool deep = bits == 16 && coding != jpeg &&
                    colours == (samples == 1 ? black_is_zero : rgb) && whole && joined;
  const bool grey = samples == 1 && colours == black_is_zero && coding != jpeg;
  // OpenCV always turns the image.
  const std::uint32_t turn = tags[orientation].value_or(1);
  const bool turned = turn >= 2 && turn <= 8;
  // It multiplies the colours by unassociated alpha, unless it reads 16 bits into 16.
  const std::uint32_t kind_of_alpha = samples == 4 && colours == rgb && !deep
                                          ? tags.alike(extra_samples, 1, 0).value_or(UINT32_MAX)
                                          : 0;
  const bool multiplied = kind_of_alpha == unassociated;
  const char* const narrow_defect =
      !whole ? "TIFF of other values than unsigned whole numbers"
      : !is_read(colours, samples, bits)
          ? "OpenCV reads no TIFF of this number of bits and channels for its colours"
      : kind_of_alpha > unassociated ? "TIFF with alpha of an unknown kind"
      : bits == 16 && !deep && colours <= black_is_zero && across && width % *across != 0
          ? "OpenCV misreads the tiles of this kind of TIFF of 16 bits; store it in strips"
          : nullptr;
  // OpenCV's image, and a copy of the file.
  const std::uint64_t kept = samples == 1 ? 2 : 6;
  const std::uint64_t image =
      std::uint64_t{width} * height * (deep ? kept : 3) + (turned || multiplied ? tiff.size() : 0);
  // Bytes per pixel of a tile or strip: OpenCV's RGBA unless it keeps 16 bits, libtiff's samples of
  // up to 16 bits (always 4 if planes are separate), and the coefficients of a JPEG. Both are
  // allocated in blocks.
  const std::uint64_t pixel =
      (deep ? 0u : 4u) + 2 * (samples == 1 ? 1 : 4) + (coding == jpeg ? 2 * samples : 0);
  const std::uint64_t block = coding == jpeg ? 32 : 4;
  // For RGBA, libtiff compares such a tile with a buffer of whole KiB, and gives up.
  const bool odd = across && coding == 1 && !deep &&
                   round_up(wide * bits * (joined ? samples : 1), 8) / 8 * high % 1024 != 0;
  const std::uint64_t decoded = round_up(wide, block) * round_up(high, block) * pixel;
  // Positions of the tiles or strips of each plane. libtiff may split a strip into single rows.
  const std::uint64_t parts =
      across ? (round_up(width, *across) / *across) * (round_up(height, *down) / *down) : height;
  return {.width = width,
          .height = height,
          .bytes = image + decoded + parts * samples * 32 + tags.bytes(),
          .most = deep ? 65535u : (!narrow_defect && bits <= 8 ? 255u : 0u),
          .stored = grey && (deep || bits == 8),
          .narrow_defect = narrow_defect,
          .undecoded = odd ? "libtiff reads no uncompressed tiles whose size is no multiple "
                             "of 1024 bytes; compress the TIFF or store it in strips"
                           : nullptr,
          .ones = {turned ? tags.low_byte(orientation) : 0,
                   multiplied ? tags.low_byte(extra_samples) : 0}};
}

}  // namespace weir::imgcodecs
