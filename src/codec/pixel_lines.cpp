#include "codec/pixel_lines.hpp"

#include <cstring>

#include "base/fill.hpp"
#include "codec/format.hpp"

namespace weir::codec {
namespace {

constexpr std::uint32_t opaque = 255, widening = 257;

/// Red, green and blue with the bits of the target. Equal values are grey.
struct Colour {
  std::uint32_t r, g, b;
  std::uint32_t grey() const noexcept { return (19595 * r + 38470 * g + 7471 * b + 32768) >> 16; }
};

template <class Value>
Value load(const std::uint8_t* from) noexcept {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class Value>
void store(std::uint8_t* to, std::initializer_list<std::uint32_t> values) noexcept {
  for (const auto wider : values) {
    const auto value = static_cast<Value>(wider);
    std::memcpy(to, &value, sizeof value);
    to += sizeof value;
  }
}

void put(std::uint8_t* to, PixelFormat format, const Colour& c) noexcept {
  switch (format) {
    case PixelFormat::rgb8: return store<std::uint8_t>(to, {c.r, c.g, c.b});
    case PixelFormat::bgr8: return store<std::uint8_t>(to, {c.b, c.g, c.r});
    case PixelFormat::rgba8: return store<std::uint8_t>(to, {c.r, c.g, c.b, opaque});
    case PixelFormat::rgb16: return store<std::uint16_t>(to, {c.r, c.g, c.b});
    case PixelFormat::grey8:
    case PixelFormat::stored8: return store<std::uint8_t>(to, {c.grey()});
    case PixelFormat::grey16:
    case PixelFormat::stored16: return store<std::uint16_t>(to, {c.grey()});
  }
}

template <class Value, std::uint32_t channels>
void convert(const std::uint8_t* from, std::uint8_t* to, PixelFormat format, std::uint32_t factor,
             std::uint32_t count) noexcept {
  constexpr std::size_t second = channels == 3 ? sizeof(Value) : 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    put(to, format,
        {load<Value>(from) * factor, load<Value>(from + second) * factor,
         load<Value>(from + 2 * second) * factor});
    from += channels * sizeof(Value);
    to += pixel_bytes(format);
  }
}

}  // namespace

void convert_pixels(const std::uint8_t* from, PixelFormat from_format, std::uint8_t* to,
                    PixelFormat to_format, std::uint32_t count) noexcept {
  const bool widens = value_bytes(to_format) > value_bytes(from_format) && !is_stored(to_format);
  const std::uint32_t factor = widens ? widening : 1;
  if (value_bytes(from_format) == 2)
    return channels_of(from_format) == 3
               ? convert<std::uint16_t, 3>(from, to, to_format, factor, count)
               : convert<std::uint16_t, 1>(from, to, to_format, factor, count);
  return channels_of(from_format) == 3
             ? convert<std::uint8_t, 3>(from, to, to_format, factor, count)
             : convert<std::uint8_t, 1>(from, to, to_format, factor, count);
}

void fill_missing(std::uint8_t* pixels, PixelFormat format, std::uint64_t count,
                  const Fill& fill) noexcept {
  const auto bytes = static_cast<std::size_t>(count * pixel_bytes(format));
  if (is_stored(format)) return fill_pixels({pixels, bytes}, format, fill);
  std::memset(pixels, missing_grey, bytes);
  if (format == PixelFormat::rgba8)
    for (std::size_t i = 3; i < bytes; i += 4) pixels[i] = opaque;
}

}  // namespace weir::codec
