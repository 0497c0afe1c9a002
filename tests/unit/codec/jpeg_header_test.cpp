#include "codec/format.hpp"

#include <array>
#include <random>

#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

Pixels segment(int marker, const Pixels& body) {
  return Pixels{0xff, static_cast<std::uint8_t>(marker)} + be(body.size() + 2, 2) + body;
}
const Pixels soi{0xff, 0xd8};

struct FrameStyle {
  int marker = 0xc0, depth = 8;
  std::uint32_t height = 16, width = 24;
  Pixels factors{0x22, 0x11, 0x11};
};
Pixels frame(const FrameStyle& style) {
  Pixels body{static_cast<std::uint8_t>(style.depth)};
  body = body + be(style.height, 2) + be(style.width, 2) + be(style.factors.size(), 1);
  for (const auto factor : style.factors) body = body + Pixels{1, factor, 0};
  return segment(style.marker, body);
}
/// Followed by more bytes than the blocks of such a frame need.
Pixels scan(const Pixels& body) { return segment(0xda, body) + Pixels(20); }
const Pixels three_components{3, 1, 0, 2, 0, 3, 0, 0, 63, 0};

Result<ImageInfo> jpeg_info(const Pixels& bytes, const DecodeLimits& limits = {},
                            bool strict = true) {
  return read_jpeg_header(view(bytes), limits, strict);
}
std::string of_frame(const FrameStyle& style, const Pixels& body = three_components) {
  return verdict(jpeg_info(soi + frame(style) + scan(body)));
}

}  // namespace

TEST_CASE("I3 impossible JPEG frames are refused by their own fields") {
  CHECK(of_frame({}) == "ok");
  CHECK(of_frame({.height = 0}) == "corrupt: width or height of 0");
  CHECK(of_frame({.width = 0}) == "corrupt: width or height of 0");
  CHECK(of_frame({.factors = {}}) == "corrupt: no components");
  for (const int factors : {0x01, 0x51, 0x10, 0x15})
    CHECK(of_frame({.factors = {0x11, static_cast<std::uint8_t>(factors), 0x11}}) ==
          "corrupt: sampling factors beyond 1 to 4");
  CHECK(of_frame({.factors = {0x44, 0x11, 0x11}}) == "ok");
  CHECK(of_frame({.depth = 12}) == "corrupt: baseline frame of 12 bits");
  CHECK(verdict(jpeg_info(soi + frame({}) + frame({}) + scan(three_components))) ==
        "corrupt: second frame header");
  CHECK(verdict(jpeg_info(soi + segment(0xc0, {8, 0, 1, 0, 1}) + scan(three_components))) ==
        "corrupt: frame header of a wrong length");
  CHECK(verdict(jpeg_info(soi + segment(0xc0, {8, 0, 1, 0, 1, 2, 1, 0x11, 0}) +
                          scan(three_components))) == "corrupt: frame header of a wrong length");
}

TEST_CASE("I7 an unsupported JPEG is told apart from a broken JPEG") {
  CHECK(of_frame({.marker = 0xc1, .depth = 12}) == "unsupported: JPEG of 12 bits per sample");
  CHECK(of_frame({.marker = 0xc5}) == "corrupt: differential frame outside a hierarchy");
  CHECK(verdict(jpeg_info(soi + segment(0xde, {}) + frame({.marker = 0xc5}) +
                          scan(three_components))) == "unsupported: hierarchical JPEG");
  for (const int marker : {0xc6, 0xc7, 0xcd, 0xce, 0xcf})
    CHECK(of_frame({.marker = marker}) == "corrupt: differential frame outside a hierarchy");
  for (const int marker : {0xc3, 0xcb}) {
    const auto lossless = [&](const Pixels& body) { return of_frame({.marker = marker}, body); };
    CHECK(lossless({1, 1, 0, 1, 0, 0}) == "unsupported: lossless JPEG");
    CHECK(lossless({1, 1, 0, 7, 0, 0}) == "unsupported: lossless JPEG");
    for (const Pixels& other : {Pixels{1, 0, 0}, Pixels{1, 1, 0, 0, 0, 0}, Pixels{1, 1, 0, 8, 0, 0},
                                Pixels{1, 1, 0, 1, 63, 0}})
      CHECK(lossless(other) == "corrupt: lossless frame with the scan of another kind");
  }
  CHECK(of_frame({.factors = {0x11, 0x11}}) == "unsupported: JPEG of 2 components");
  CHECK(of_frame({.factors = {0x11, 0x11, 0x11, 0x11, 0x11}}) ==
        "unsupported: JPEG of 5 components");
  CHECK(verdict(jpeg_info(soi + scan(three_components))) == "corrupt: scan without a frame header");
}

TEST_CASE("what a JPEG's first scan holds says whether there are more") {
  const auto several = [](int marker, const Pixels& body) {
    const auto info = jpeg_info(soi + frame({.marker = marker}) + scan(body));
    REQUIRE(info);
    return info->layout.get<JpegLayout>().several_scans;
  };
  CHECK_FALSE(several(0xc0, three_components));
  CHECK(several(0xc0, {1, 1, 0, 0, 63, 0}));
  CHECK(several(0xc0, {}));
  CHECK(several(0xc2, three_components));
  CHECK(several(0xca, three_components));
}

TEST_CASE("I3 a JPEG with too few bytes is truncated or corrupt") {
  const auto of = [](const FrameStyle& style, const Pixels& behind) {
    return verdict(jpeg_info(soi + frame(style) + segment(0xda, three_components) + behind));
  };
  // 6 blocks of luma and 2 + 2 of chroma.
  CHECK(of({}, Pixels(2)) == "ok");
  CHECK(of({}, Pixels(1)) == "truncated: 24x16 pixels in 1 bytes of scans, fewer than 2");
  CHECK(of({.height = 64}, {0xff, 0xd9}) ==
        "corrupt: 24x64 pixels in 2 bytes of scans, fewer than 5");
  CHECK(of({.marker = 0xc9}, {}) == "ok");
}

TEST_CASE("I4 the scans of a JPEG are counted and limited") {
  const auto further = scan({1, 1, 0, 0, 63, 0}) + Pixels{1, 2, 0xff, 0, 3, 0xff, 0xd1, 4};
  const auto of = [&](int scans, const Pixels& end) {
    auto bytes = soi + frame({.marker = 0xc2}) + scan(three_components);
    for (int i = 0; i < scans; ++i) bytes = bytes + further;
    return verdict(jpeg_info(bytes + end, {.max_scans = 3}));
  };
  for (const Pixels& end : {Pixels{}, Pixels{0xff, 0xd9}, Pixels{0xff, 0xc4, 0}}) {
    CHECK(of(3, end) == "ok");
    CHECK(of(4, end) == "limit: more than 3 scans behind the first, which is `max_scans`");
  }
  CHECK(of(3, Pixels{0xff, 0xd9} + further) == "ok");
  // One scan has all components, so the parser does not read further.
  CHECK(verdict(jpeg_info(soi + frame({}) + scan(three_components) + further, {.max_scans = 0})) ==
        "ok");
}

TEST_CASE("I4 JPEG segments are checked against the bytes and limits") {
  CHECK(verdict(jpeg_info(soi + Pixels{0xff, 0xc4})) == "truncated: cut inside a marker segment");
  CHECK(verdict(jpeg_info(soi + Pixels{0xff, 0xc4, 0, 1})) ==
        "corrupt: marker segment of length 1");
  CHECK(verdict(jpeg_info(soi + Pixels{0xff, 0xc4, 0, 9, 1})) ==
        "truncated: cut inside a marker segment");
  CHECK(verdict(jpeg_info(soi)) == "truncated: cut before the first scan");
  CHECK(verdict(jpeg_info(soi + soi)) == "corrupt: second SOI");
  CHECK(verdict(jpeg_info(soi + Pixels{0xff, 0xd9})) == "corrupt: EOI before the first scan");
  const auto body = frame({}) + scan(three_components);
  // Neither frame nor scan: tables, arithmetic conditioning, markers without a length.
  for (const Pixels& other :
       {segment(0xc4, {0}), segment(0xc8, {0}), segment(0xcc, {0}), segment(0x02, {}),
        Pixels{0xff, 0x01}, Pixels{0xff, 0xd0}, Pixels{0xff, 0xd7}, Pixels{0xff, 0xff, 0xff},
        Pixels{7, 0, 0xff, 0xff}})
    CHECK(verdict(jpeg_info(soi + other + body)) == "ok");
  const auto wiped = soi + Pixels{0xff, 0, 7} + body;
  CHECK(verdict(jpeg_info(wiped)) == "corrupt: FF 00 where a marker belongs");
  const auto lenient = jpeg_info(wiped, {}, false);
  REQUIRE(lenient);
  CHECK(lenient->damaged);
  CHECK(verdict(jpeg_info(soi + Pixels(5, 7) + body, {.max_header_bytes = 3})) ==
        "limit: no JPEG marker within `max_header_bytes` 3");
  const DecodeLimits small{.max_header_bytes = 100};
  for (const int skipped : {0xe0, 0xef, 0xfe})
    CHECK(verdict(jpeg_info(soi + segment(skipped, Pixels(500)) + body, small)) == "ok");
  for (const int counted : {0xdf, 0xf0, 0xfd})
    CHECK(verdict(jpeg_info(soi + segment(counted, Pixels(500)) + body, small)) ==
          "limit: JPEG header of more than 100 bytes, which is `max_header_bytes`");
  CHECK(verdict(jpeg_info(soi + segment(0xe0, {}) + body, {.max_markers = 2})) ==
        "limit: more than 2 JPEG markers, which is `max_markers`");
}

TEST_CASE("I8 only the first real EXIF segment of a JPEG counts") {
  const auto exif = [](int orientation) {
    return segment(0xe1,
                   text(std::string_view("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\3\0\0\0\1", 24)) +
                       be(static_cast<std::uint64_t>(orientation), 2) + be(0, 6));
  };
  const auto body = frame({}) + scan(three_components);
  const auto orientation = [&](const Pixels& before) {
    const auto info = jpeg_info(soi + before + body);
    REQUIRE(info);
    return int(info->orientation);
  };
  CHECK(orientation(exif(6)) == 6);
  CHECK(orientation(exif(6) + exif(3)) == 6);
  CHECK(orientation(segment(0xe1, text("http://ns.adobe.com/xap/1.0/")) + exif(3)) == 3);
  CHECK(orientation(segment(0xe2, text(std::string_view("Exif\0\0MM", 8)))) == 1);
}

TEST_CASE("I9 the rest of a JPEG reaches its end only at an EOI marker") {
  const auto reaches = [](const Pixels& rest, std::uint8_t pending = 0) {
    return jpeg_reaches_end(view(rest), pending);
  };
  CHECK(reaches({1, 2, 0xff, 0xd9}));
  CHECK(reaches({0xff, 0xff, 0xff, 0xd9}));
  CHECK(reaches({0xff, 0, 0xff, 0xd0, 5, 0xff, 0xd9}));
  CHECK(reaches({}, 0xd9));
  CHECK(reaches({0xff, 0xd9}, 0xd3));
  CHECK(reaches({0, 4, 0xff, 0xd9, 0xff, 0xd9}, 0xc4));
  CHECK_FALSE(reaches({}));
  CHECK_FALSE(reaches({1, 2, 3}));
  CHECK_FALSE(reaches({1, 0xff}));
  CHECK_FALSE(reaches({1, 0xff, 0xff}));
  CHECK_FALSE(reaches({0xff, 0}));
  CHECK_FALSE(reaches({0}, 0xc4));
  CHECK_FALSE(reaches({0, 9, 0xff, 0xd9}, 0xc4));  // inside a segment
}

TEST_CASE("a JPEG marker is found wherever it is in the bytes") {
  std::mt19937 random(7);
  const auto draw = [&random](std::uint32_t values) { return random() % values; };
  for (int file = 0; file < 3000; ++file) {
    Pixels bytes(draw(500), 7);
    for (auto few = draw(12); few > 0 && !bytes.empty(); --few)
      for (auto at = draw(static_cast<std::uint32_t>(bytes.size())), run = draw(4);
           run > 0 && at < bytes.size(); --run, ++at)
        bytes[at] = std::array<std::uint8_t, 4>{0xff, 0xff, 0, 0xd3}[draw(4)];
    const std::size_t begin = bytes.empty() ? 0 : draw(static_cast<std::uint32_t>(bytes.size()));
    std::size_t found = begin, expected = begin;
    for (bool more = true; more;) {
      std::uint8_t marker = 0;
      while (expected < bytes.size() && marker == 0) {
        if (bytes[expected++] != 0xff) continue;
        while (expected < bytes.size() && bytes[expected] == 0xff) ++expected;
        if (expected < bytes.size()) marker = bytes[expected++];
      }
      more = marker != 0;
      const auto next = jpeg_next_marker(view(bytes), found);
      if (next == marker && found == expected) continue;
      CAPTURE(file, begin, found, expected);
      REQUIRE(int(next) == int(marker));
      REQUIRE(found == expected);
    }
  }
}

}  // namespace weir::codec::test
