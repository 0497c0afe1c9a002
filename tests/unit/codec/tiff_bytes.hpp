#pragma once

#include <initializer_list>

#include "header_bytes.hpp"

namespace weir::codec::test {

inline Pixels tiff_entry(std::uint64_t tag, std::uint64_t type, std::uint64_t value,
                         std::uint64_t count = 1) {
  return le(tag, 2) + le(type, 2) + le(count, 4) + le(value, 4);
}

/// A little-endian TIFF of these entries, in this order, and the bytes after its directory.
inline Pixels tiff_of(std::initializer_list<Pixels> entries, const Pixels& rest = {}) {
  Pixels bytes = text("II") + le(42, 2) + le(8, 4) + le(entries.size(), 2);
  for (const auto& entry : entries) bytes = bytes + entry;
  return bytes + le(0, 4) + rest;
}

/// The structure of a valid TIFF with one tile or strip.
struct TiffKind {
  std::uint32_t width = 0, height = 0;
  std::uint32_t tile_width = 0, tile_height = 0;  ///< 0: a strip
  std::uint32_t bits = 8, samples = 3, planes = 1, orientation = 1;
};

/// A TIFF with zeros in all pixels, in PackBits.
inline Pixels black_tiff(const TiffKind& kind) {
  constexpr std::uint32_t entries = 13, begin = 8 + 2 + entries * 12 + 4;
  const bool tiled = kind.tile_width != 0;
  const std::uint64_t pixels =
      tiled ? std::uint64_t{kind.tile_width} * kind.tile_height : kind.width * kind.height;
  const std::uint32_t parts = kind.planes == 2 ? kind.samples : 1;
  const std::uint64_t runs = (pixels * kind.bits / 8 * kind.samples / parts + 127) / 128;
  Pixels places, data;
  for (std::uint32_t i = 0; i < parts; ++i) places = places + le(begin + parts * 8, 4);
  for (std::uint32_t i = 0; i < parts; ++i) places = places + le(runs * 2, 4);
  for (std::uint64_t i = 0; i < runs; ++i) {
    data.push_back(0x81);
    data.push_back(0);
  }
  const auto place = [&](std::uint64_t tag, std::uint32_t at, std::uint64_t alone) {
    return tiff_entry(tag, 4, parts == 1 ? alone : at, parts);
  };
  return tiff_of(
      {tiff_entry(256, 4, kind.width), tiff_entry(257, 4, kind.height),
       tiff_entry(258, 3, kind.bits), tiff_entry(259, 3, 32773),
       tiff_entry(262, 3, kind.samples == 1 ? 1 : 2), place(tiled ? 324 : 273, begin, begin + 8),
       tiff_entry(274, 3, kind.orientation), tiff_entry(277, 3, kind.samples),
       place(tiled ? 325 : 279, begin + parts * 4, runs * 2), tiff_entry(284, 3, kind.planes),
       tiff_entry(tiled ? 322 : 278, 4, tiled ? kind.tile_width : kind.height),
       // A strip has no height of its own, so this is a tag without effect.
       tiff_entry(tiled ? 323 : 254, 4, tiled ? kind.tile_height : 0),
       tiff_entry(338, 3, 2, kind.samples == 4 ? 1 : 0)},
      places + data);
}

}  // namespace weir::codec::test
