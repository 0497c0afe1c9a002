#include "codec/probe.hpp"

#include <algorithm>
#include <optional>

#include "codec/format.hpp"
#include "codec/headers.hpp"

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

bool begins_with(Bytes encoded, std::string_view magic) {
  if (magic.empty() || !encoded.has(0, magic.size())) return false;
  for (std::size_t i = 0; i < magic.size(); ++i)
    if (magic[i] != '.' && encoded.u8(i) != static_cast<std::uint8_t>(magic[i])) return false;
  return true;
}

Result<ImageInfo> read_header(Bytes encoded, const DecoderOptions& options) {
  for (const Format* format : formats)
    if (begins_with(encoded, format->magic))
      return format->read_header(encoded, options.limits, options.strict);
  const auto head = encoded.span().first(std::min(encoded.size(), head_bytes));
  for (const auto& codec : options.codecs) {
    if (codec->accepts(head)) return read_foreign_header(encoded, *codec);
  }
  return unsupported(first_bytes(encoded));
}

}  // namespace

std::optional<Defect> exceeded(const ImageInfo& info, const DecodeLimits& limits) {
  const std::uint64_t pixels = std::uint64_t{info.width} * info.height;
  const std::string size = std::to_string(info.width) + "x" + std::to_string(info.height);
  if (std::max(info.width, info.height) > limits.max_side) {
    return over_limit(size + " has a side above max_side " + std::to_string(limits.max_side));
  }
  if (pixels > limits.max_pixels) {
    return over_limit(size + " is above max_pixels " + std::to_string(limits.max_pixels));
  }
  return std::nullopt;
}

Result<ImageInfo> probe_image(std::span<const std::byte> encoded, const DecoderOptions& options) {
  if (encoded.empty()) return corrupt_at(0, "empty");
  if (encoded.size() > options.limits.max_encoded_bytes) {
    return over_limit(std::to_string(encoded.size()) + " bytes are above max_encoded_bytes " +
                      std::to_string(options.limits.max_encoded_bytes));
  }
  auto info = read_header(Bytes(encoded), options);
  if (!info) return info;
  if (auto defect = exceeded(*info, options.limits)) return *std::move(defect);
  return info;
}

}  // namespace weir::codec
