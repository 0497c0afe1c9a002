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
      // A stored plane keeps its values as they are.
      const auto other = is_stored(options.pixels) && codec->writes(PixelFormat::stored16)
                             ? PixelFormat::stored16
                             : PixelFormat::rgb8;
      refused = unsupported("its codec does not write ", to_string(options.pixels),
                            codec->writes(other) ? "; use " : "",
                            codec->writes(other) ? to_string(other) : "");
      continue;
    }
    return read_foreign_header(encoded, *codec);
  }
  return refused ? *std::move(refused) : unsupported(first_bytes(encoded));
}

}  // namespace

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
