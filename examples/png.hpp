#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/// Kinds of PNG that write_png() writes.
enum class PngKind : std::uint8_t {
  rgb,      ///< red, green and blue, 8 bits each
  palette,  ///< 8-bit indices; their colours are those of class_colour()
  grey16,   ///< 16 bits, high byte first
};

/// A colour for each class of a mask, and a light one for 255.
constexpr std::array<std::uint8_t, 3> class_colour(std::size_t index) {
  constexpr std::array<std::array<std::uint8_t, 3>, 4> colours{
      {{96, 96, 96}, {220, 50, 40}, {40, 170, 70}, {50, 90, 220}}};
  if (index < colours.size()) return colours[index];
  if (index == 255) return {224, 224, 192};
  const auto value = [&](std::size_t step) { return static_cast<std::uint8_t>(index * step); };
  return {value(83), value(151), value(199)};
}

/// A PNG without compression, so that examples with made images need no library. `values`: the bytes of
/// all pixels, line after line.
inline std::vector<std::byte> write_png(PngKind kind, std::uint32_t width, std::uint32_t height,
                                        const std::vector<std::uint8_t>& values) {
  std::vector<std::byte> png;
  const auto byte = [](std::vector<std::byte>& to, std::uint32_t value) {
    to.push_back(static_cast<std::byte>(value & 255));
  };
  const auto number = [&](std::vector<std::byte>& to, std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) byte(to, value >> shift);
  };
  const auto chunk = [&](std::string_view name, const std::vector<std::byte>& data) {
    number(png, static_cast<std::uint32_t>(data.size()));
    const auto begin = static_cast<std::ptrdiff_t>(png.size());
    for (const char letter : name) byte(png, static_cast<std::uint8_t>(letter));
    png.insert(png.end(), data.begin(), data.end());
    std::uint32_t crc = UINT32_MAX;
    for (auto at = png.begin() + begin; at != png.end(); ++at) {
      crc ^= std::to_integer<std::uint32_t>(*at);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    }
    number(png, ~crc);
  };

  for (const std::uint32_t value :
       {0x89u, 0x50u, 0x4Eu, 0x47u, 0x0Du, 0x0Au, 0x1Au, 0x0Au})  // "PNG"
    byte(png, value);
  std::vector<std::byte> head;
  number(head, width);
  number(head, height);
  const std::uint32_t colour = kind == PngKind::rgb ? 2 : kind == PngKind::palette ? 3 : 0;
  for (const std::uint32_t value : {kind == PngKind::grey16 ? 16u : 8u, colour, 0u, 0u, 0u})
    byte(head, value);
  chunk("IHDR", head);
  if (kind == PngKind::palette) {
    std::vector<std::byte> palette;
    for (std::size_t i = 0; i < 256; ++i)
      for (const auto value : class_colour(i)) byte(palette, value);
    chunk("PLTE", palette);
  }

  const std::size_t line = values.size() / height;
  std::vector<std::byte> data;
  byte(data, 0x78);
  byte(data, 0x01);
  std::uint32_t low = 1, high = 0;  // Adler-32
  for (std::uint32_t y = 0; y < height; ++y) {
    // One block without compression for each line: its filter, 0, and its bytes; at most 65,535.
    const auto length = static_cast<std::uint32_t>(line + 1);
    byte(data, y + 1 == height ? 1 : 0);
    for (const auto value : {length, length >> 8, ~length, ~length >> 8}) byte(data, value);
    const auto put = [&](std::uint8_t value) {
      byte(data, value);
      low = (low + value) % 65521;
      high = (high + low) % 65521;
    };
    put(0);
    for (std::size_t x = 0; x < line; ++x) put(values[y * line + x]);
  }
  number(data, high << 16 | low);
  chunk("IDAT", data);
  chunk("IEND", {});
  return png;
}
