#include <algorithm>
#include <optional>

#include "codec/format.hpp"

namespace weir::codec {
namespace {

constexpr std::size_t head_bytes = 64, shown_bytes = 8;

std::string first_bytes(Bytes encoded) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "first bytes";
  for (std::size_t i = 0; i < std::min(encoded.size(), shown_bytes); ++i) {
    text += {' ', digits[encoded.u8(i) >> 4], digits[encoded.u8(i) & 15]};
  }
  if (encoded.size() > shown_bytes) text += " …";
  return text;
}

/// Whether an rgb8 image has all that the format holds.
bool from_rgb8(PixelFormat format) {
  return format == PixelFormat::bgr8 || format == PixelFormat::grey8;
}

bool begins_with(Bytes encoded, std::string_view magic) {
  if (magic.empty() || !encoded.has(0, magic.size())) return false;
  for (std::size_t i = 0; i < magic.size(); ++i)
    if (magic[i] != '.' && encoded.u8(i) != static_cast<std::uint8_t>(magic[i])) return false;
  return true;
}

Result<ImageInfo> read_header(Bytes encoded, const DecoderOptions& options) {
  std::optional<Defect> refused;
  for (const Format* format : formats) {
    if (!begins_with(encoded, format->magic)) continue;
    auto info = format->read_header(encoded, options.limits, options.strict);
    const bool may_refuse = info && format->refuses != nullptr;
    const char* const why = may_refuse ? format->refuses(*info, options.pixels) : nullptr;
    if (why != nullptr) info = unsupported(why);
    if (info || info.defect().kind != FaultKind::unsupported) return info;
    refused = std::move(info.defect());
  }
  // Another codec may read a kind that weir's own decoder does not.
  const auto head = encoded.span().first(std::min(encoded.size(), head_bytes));
  for (const auto& codec : options.codecs) {
    if (!codec->accepts(head)) continue;
    const bool converts = from_rgb8(options.pixels) && codec->writes(PixelFormat::rgb8);
    if (!converts && !codec->writes(options.pixels)) {
      refused = unsupported("its codec does not write this pixel format; use rgb8");
      continue;
    }
    return read_foreign_header(encoded, *codec);
  }
  return refused ? *std::move(refused) : unsupported(first_bytes(encoded));
}

}  // namespace

std::uint8_t exif_orientation(Bytes tiff) noexcept {
  constexpr std::uint32_t orientation_tag = 0x0112;
  const bool little = tiff.matches(0, std::string_view("II*\0", 4));
  if (!little && !tiff.matches(0, std::string_view("MM\0*", 4))) return 1;
  const auto u16 = [&](std::size_t i) { return little ? tiff.le16(i) : tiff.be16(i); };
  const auto u32 = [&](std::size_t i) { return little ? tiff.le32(i) : tiff.be32(i); };
  if (!tiff.has(4, 4)) return 1;
  const std::uint64_t directory = u32(4);
  if (!tiff.has(directory, 2)) return 1;

  const auto first = static_cast<std::size_t>(directory) + 2;
  const std::size_t entries = std::min<std::size_t>(u16(first - 2), (tiff.size() - first) / 12);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t entry = first + 12 * i;
    if (u16(entry) != orientation_tag) continue;
    if (u32(entry + 4) != 1) return 1;
    // The standard wants SHORT. Files with other integer types exist, and Pillow reads them.
    std::uint32_t value = 0;
    switch (u16(entry + 2)) {
      case 1:                                     // BYTE
      case 6: value = tiff.u8(entry + 8); break;  // SBYTE
      case 3:                                     // SHORT
      case 8: value = u16(entry + 8); break;      // SSHORT
      case 4:                                     // LONG
      case 9: value = u32(entry + 8); break;      // SLONG
      default: break;
    }
    return value >= 1 && value <= 8 ? static_cast<std::uint8_t>(value) : std::uint8_t{1};
  }
  return 1;
}

std::optional<Defect> exceeded(const ImageInfo& info, const DecodeLimits& limits) {
  const std::uint64_t pixels = std::uint64_t{info.width} * info.height;
  if (std::max(info.width, info.height) > limits.max_side) {
    return over_limit(info.width, "x", info.height, " has a side above `max_side` ",
                      limits.max_side);
  }
  if (pixels > limits.max_pixels) {
    return over_limit(info.width, "x", info.height, " is above `max_pixels` ", limits.max_pixels);
  }
  return std::nullopt;
}

std::vector<std::string_view> dropped(const ImageInfo& info, PixelFormat pixels) {
  std::vector<std::string_view> parts;
  const bool stored = is_stored(pixels), colours = info.channels > 2;
  if (info.palette && !stored) parts.emplace_back("palette indices");
  if (colours && !stored && channels_of(pixels) == 1) parts.emplace_back("colours");
  if (info.alpha && pixels != PixelFormat::rgba8) parts.emplace_back("alpha");
  if (info.bit_depth > 8 && value_bytes(pixels) == 1) parts.emplace_back("low 8 bits");
  return parts;
}

Result<ImageInfo> probe_image(std::span<const std::byte> encoded, const DecoderOptions& options) {
  if (encoded.empty()) return corrupt_at(0, "empty");
  if (encoded.size() > options.limits.max_encoded_bytes) {
    return over_limit(encoded.size(), " bytes are above `max_encoded_bytes` ",
                      options.limits.max_encoded_bytes);
  }
  auto info = read_header(Bytes(encoded), options);
  if (!info) return info;
  if (auto defect = exceeded(*info, options.limits)) return *std::move(defect);
  return info;
}

}  // namespace weir::codec
