#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "codec/format.hpp"
#include "encoders.hpp"

namespace weir::codec::test {

inline constexpr std::byte marker_byte{0xff};

/// 128 x 96 pixels of 4:2:0: rows of 8 MCUs, 6 rows, 4 segments a row.
inline Encoded marked_jpeg() { return encode_jpeg(pattern(128, 96), {.restart_interval = 2}); }

/// Where each segment begins and ends.
inline std::vector<std::pair<std::size_t, std::size_t>> marked_segments(const Encoded& jpeg) {
  std::vector<std::pair<std::size_t, std::size_t>> segments;
  const auto info = Decoder(DecoderOptions{}).probe(jpeg);
  if (!info) return segments;
  std::size_t begin = info->layout.get<JpegLayout>().scan, at = begin;
  while (jpeg_next_marker(Bytes(jpeg), at) != 0) {
    segments.emplace_back(begin, at - 2);
    begin = at;
  }
  return segments;
}

inline std::size_t frame_header(const Encoded& jpeg) {
  std::size_t at = 0;
  while (jpeg[at] != marker_byte || jpeg[at + 1] != std::byte{0xc0}) ++at;
  return at;
}

inline void insert_bytes(Encoded& jpeg, std::size_t at, std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(std::byte(value));
  jpeg.insert(jpeg.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
}

inline void erase_bytes(Encoded& jpeg, std::size_t begin, std::size_t end) {
  jpeg.erase(jpeg.begin() + static_cast<std::ptrdiff_t>(begin),
             jpeg.begin() + static_cast<std::ptrdiff_t>(end));
}

struct DamagedRestarts {
  const char* name;
  Encoded jpeg;
};

/// marked_jpeg() with wrong, missing, doubled and reordered markers, intervals and sizes that do not match.
inline std::vector<DamagedRestarts> damaged_restarts() {
  struct Damage {
    const char* name;
    std::function<void(Encoded&)> make;
  };
  const Encoded good = marked_jpeg();
  const auto segments = marked_segments(good);
  const auto marker = [&](std::size_t i) { return segments[i].second; };
  const auto frame = frame_header(good);
  std::size_t interval = 0;
  while (good[interval] != marker_byte || good[interval + 1] != std::byte{0xdd}) ++interval;
  std::vector<Damage> all{
      {"interval 0", [&](Encoded& j) { j[interval + 5] = std::byte{0}; }},
      {"interval 65535", [&](Encoded& j) { j[interval + 4] = j[interval + 5] = marker_byte; }},
      {"interval 4", [&](Encoded& j) { j[interval + 5] = std::byte{4}; }},
      {"another DRI before SOS",
       [&](Encoded& j) {
         insert_bytes(j, interval, {0xff, 0xdd, 0, 4, 0, 1});
       }},
      {"more lines", [&](Encoded& j) { j[frame + 6] = std::byte{128}; }},
      {"fewer lines", [&](Encoded& j) { j[frame + 6] = std::byte{80}; }},
      {"more columns", [&](Encoded& j) { j[frame + 8] = std::byte{160}; }},
      {"DNL",
       [&](Encoded& j) {
         insert_bytes(j, marker(23), {0xff, 0xdc, 0, 4, 0, 96});
       }},
      {"a comment after the scan",
       [&](Encoded& j) {
         insert_bytes(j, marker(23), {0xff, 0xfe, 0, 2});
       }},
      {"no EOI", [&](Encoded& j) { erase_bytes(j, marker(23), j.size()); }},
      {"a last RST",
       [&](Encoded& j) {
         insert_bytes(j, marker(23), {0xff, 0xd7});
       }},
      {"EOI too early", [&](Encoded& j) { j[marker(20) + 1] = std::byte{0xd9}; }}};
  for (const std::size_t i : {0u, 4u, 9u, 15u, 22u}) {
    all.push_back({"no RST", [=](Encoded& j) { erase_bytes(j, marker(i), marker(i) + 2); }});
    all.push_back({"two RSTs", [=](Encoded& j) {
                     insert_bytes(j, marker(i), {0xff, 0xd0u + static_cast<unsigned>(i % 8)});
                   }});
    all.push_back({"RST of another number", [=](Encoded& j) { j[marker(i) + 1] ^= std::byte{3}; }});
    all.push_back({"RSTs that change places", [=](Encoded& j) {
                     std::swap(j[marker(i) + 1], j[marker(i > 0 ? i - 1 : 1) + 1]);
                   }});
    all.push_back(
        {"no segment", [=](Encoded& j) { erase_bytes(j, segments[i].first, segments[i].second); }});
    all.push_back({"DRI after SOS", [=](Encoded& j) {
                     insert_bytes(j, marker(i), {0xff, 0xdd, 0, 4, 0, 2});
                   }});
    all.push_back({"SOS in the scan", [=](Encoded& j) { j[marker(i) + 1] = std::byte{0xda}; }});
    all.push_back({"cut", [=](Encoded& j) { erase_bytes(j, segments[i].first + 1, j.size()); }});
  }
  std::vector<DamagedRestarts> made;
  for (const auto& [name, make] : all) {
    made.push_back({name, good});
    make(made.back().jpeg);
  }
  return made;
}

}  // namespace weir::codec::test
