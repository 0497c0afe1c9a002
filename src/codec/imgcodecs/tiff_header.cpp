#include <algorithm>
#include <array>

#include "codec/imgcodecs/headers.hpp"

namespace weir::imgcodecs {
namespace {

enum Tag : std::uint32_t {
  image_width = 256,
  image_height = 257,
  bits_per_sample = 258,
  compression = 259,
  orientation = 274,
  samples_per_pixel = 277,
  rows_per_strip = 278,
  planes = 284,
  tile_width = 322,
  tile_height = 323,
  image_depth = 32997,
  tile_depth = 32998,
};

/// What decides the memory of a decode, with libtiff's defaults. `many`: libtiff takes one value a
/// sample, too, and wants them equal.
struct Field {
  Tag tag;
  std::uint32_t value;
  bool many = false;
  bool found = false;
};

[[noreturn]] void refuse(Tag tag, std::size_t at, const std::string& why) {
  throw SampleError(FaultKind::corrupt, "TIFF tag " + std::to_string(tag) + " at byte " +
                                            std::to_string(at) + " " + why);
}

class Directory {
 public:
  explicit Directory(codec::Bytes tiff) : tiff_(tiff), little_(tiff.matches(0, "II")) {
    require(tiff.has(4, 4), FaultKind::truncated, "cut inside the TIFF header");
    const std::uint64_t at = u32(4);
    require(tiff.has(at, 2), FaultKind::truncated, "TIFF directory beyond the end");
    const auto first = static_cast<std::size_t>(at) + 2;
    entries_ = u16(first - 2);
    require(tiff.has(first, entries_ * entry_bytes), FaultKind::truncated,
            "cut inside the TIFF directory");
    for (std::uint32_t i = 0; i < entries_; ++i) read(first + entry_bytes * i);
    // Else each of thousands of tags could have libtiff keep a copy of the same bytes.
    require(value_bytes_ <= tiff.size(), FaultKind::corrupt,
            "TIFF directory with more values than the file has bytes");
  }

  bool has(Tag tag) const { return field(tag).found; }
  std::uint32_t operator[](Tag tag) const { return field(tag).value; }
  /// What libtiff allocates for the directory, at most: its entries and, twice, their values.
  std::uint64_t bytes() const { return entries_ * std::uint64_t{512} + value_bytes_ * 2; }

 private:
  static constexpr std::size_t entry_bytes = 12;
  static constexpr std::uint32_t type_short = 3, type_long = 4;

  std::uint32_t u16(std::size_t i) const { return little_ ? tiff_.le16(i) : tiff_.be16(i); }
  std::uint32_t u32(std::size_t i) const { return little_ ? tiff_.le32(i) : tiff_.be32(i); }

  static std::uint64_t bytes_of_type(std::uint32_t type) {
    constexpr std::array<std::uint8_t, 19> bytes{0, 1, 1, 2, 4, 8, 1, 1, 2, 4,
                                                 8, 4, 8, 4, 0, 0, 8, 8, 8};
    return type < bytes.size() ? bytes[type] : 0;
  }

  const Field& field(Tag tag) const {
    return *std::find_if(fields_.begin(), fields_.end(),
                         [&](const auto& f) { return f.tag == tag; });
  }

  void read(std::size_t entry) {
    const std::uint32_t tag = u16(entry), type = u16(entry + 2), count = u32(entry + 4);
    const std::uint64_t bytes = bytes_of_type(type) * count;
    const bool inside = bytes <= 4;
    if (!inside) value_bytes_ += bytes;
    const auto field = std::find_if(fields_.begin(), fields_.end(),
                                    [&](const Field& each) { return each.tag == tag; });
    if (field == fields_.end()) return;
    // libtiff keeps the first of several, others the last; and it reads types that others skip.
    if (field->found) refuse(field->tag, entry, "is there twice");
    if (type != type_short && type != type_long)
      refuse(field->tag, entry, "is neither SHORT nor LONG");
    if (count != 1 && (count == 0 || !field->many))
      refuse(field->tag, entry, "has " + std::to_string(count) + " values");
    const std::size_t at = inside ? entry + 8 : u32(entry + 8);
    if (!tiff_.has(at, bytes)) refuse(field->tag, entry, "has its values beyond the end");
    field->found = true;
    field->value = type == type_short ? u16(at) : u32(at);
  }

  codec::Bytes tiff_;
  bool little_;
  std::uint32_t entries_ = 0;
  std::uint64_t value_bytes_ = 0;
  std::array<Field, 12> fields_{{{image_width, 0},
                                 {image_height, 0},
                                 {bits_per_sample, 1, true},
                                 {compression, 1, true},
                                 {orientation, 1},
                                 {samples_per_pixel, 1},
                                 {rows_per_strip, 0},
                                 {planes, 1},
                                 {tile_width, 0},
                                 {tile_height, 0},
                                 {image_depth, 1},
                                 {tile_depth, 1}}};
};

/// None, CCITT's, LZW, JPEG, Deflate, PackBits and two simpler ones. What LZMA, Zstandard and others
/// allocate stands in the compressed data: 68 bytes of LZMA have it take 1.5 GiB.
bool is_bounded(std::uint32_t compression_tag) {
  constexpr std::array<std::uint32_t, 12> known{1, 2,     3,     4,     5,     7,
                                                8, 32766, 32771, 32773, 32809, 32946};
  return std::find(known.begin(), known.end(), compression_tag) != known.end();
}

std::uint64_t rounded_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

/// What is decoded at once: a tile, or a strip as a tile of the image's width.
struct Tile {
  std::uint64_t width, height;
};

Tile tile_of(const Directory& tags) {
  const std::uint64_t width = tags[image_width], height = tags[image_height];
  const bool tiled = tags.has(tile_width);
  require(tiled == tags.has(tile_height) && (!tiled || (tags[tile_width] && tags[tile_height])),
          FaultKind::corrupt, "TIFF tiles without width or height");
  const std::uint32_t rows = tags[rows_per_strip];
  if (tiled) return {tags[tile_width], tags[tile_height]};
  return {width, rows == 0 || rows == 0xffffffff ? height : rows};
}

/// libtiff accepts a strip's JPEG that is taller than the strip, and libjpeg then keeps the
/// coefficients of all of it.
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
  const std::uint64_t width = tags[image_width], height = tags[image_height];
  const std::uint32_t samples = tags[samples_per_pixel];
  require(samples == 1 || samples == 3 || samples == 4, FaultKind::unsupported,
          "TIFF of other than 1, 3 or 4 channels");
  require(tags[image_depth] == 1 && tags[tile_depth] == 1, FaultKind::unsupported,
          "TIFF of more than one layer");
  require(is_bounded(tags[compression]), FaultKind::unsupported,
          "TIFF in a compression whose memory its header does not tell");
  const Tile tile = tile_of(tags);

  const bool jpeg = tags[compression] == 7;
  const std::uint64_t coded_height = jpeg && !tags.has(tile_width)
                                         ? std::max(tile.height, tallest_jpeg(tiff, width))
                                         : tile.height;
  // OpenCV allocates all of a tile, however small the image in it; encoders round up to 16, and
  // have tiles of a fixed size for small images, too.
  constexpr std::uint64_t common = 4096 * 4096;
  require(
      tile.width * coded_height <= std::max(common, rounded_up(width, 16) * rounded_up(height, 16)),
      FaultKind::limit, "TIFF tile or strip larger than its image and than 4096x4096");

  // OpenCV's image, which it copies to turn it on its side.
  const std::uint64_t image = width * height * (tags[orientation] > 4 ? 6 : 3);
  // OpenCV's RGBA of a tile and libtiff's samples of it, one buffer a plane, in blocks of up to 4x4
  // where chroma is subsampled; and the coefficients of a JPEG, in blocks of up to 32x32.
  const bool separate = tags[planes] == 2 && samples > 1;
  const std::uint64_t sample_bytes = tags[bits_per_sample] > 8 ? 2 : 1;
  const std::uint64_t decoded =
      rounded_up(tile.width, 4) * rounded_up(tile.height, 4) *
          (4 + sample_bytes * (separate ? 4 : samples)) +
      (jpeg ? rounded_up(tile.width, 32) * rounded_up(coded_height, 32) * 2 * samples : 0);
  // Where each tile or strip lies; libtiff may take a strip apart into ones of a row.
  const std::uint64_t across = tags.has(tile_width) ? (width + tile.width - 1) / tile.width : 1;
  const std::uint64_t down =
      tags.has(tile_width) ? (height + tile.height - 1) / tile.height : height;
  const std::uint64_t places = across * down * (separate ? samples : 1) * 32;
  return {tags[image_width], tags[image_height], image + decoded + places + tags.bytes()};
}

}  // namespace weir::imgcodecs
