#include "encoders.hpp"
#include "header_bytes.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

std::uint32_t crc_of(const Pixels& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const auto byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc % 2 == 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}
Pixels png_chunk(std::string_view type, const Pixels& data) {
  return be(data.size(), 4) + text(type) + data + be(crc_of(text(type) + data), 4);
}
const Pixels png_signature{0x89, 'P', 'N', 'G', 13, 10, 26, 10};

struct Ihdr {
  std::uint32_t width = 4, height = 3;
  std::uint8_t depth = 8, colour = 2, compression = 0, filter = 0, interlace = 0;
};
Pixels ihdr(const Ihdr& h) {
  return png_signature +
         png_chunk("IHDR", be(h.width, 4) + be(h.height, 4) +
                               Pixels{h.depth, h.colour, h.compression, h.filter, h.interlace});
}
const Pixels idat = png_chunk("IDAT", {1, 2, 3}), iend = png_chunk("IEND", {});

Result<ImageInfo> png_info(const Pixels& bytes, bool strict = true) {
  return read_png_header(view(bytes), {}, strict);
}
std::string of_ihdr(const Ihdr& header) { return verdict(png_info(ihdr(header) + idat + iend)); }

}  // namespace

TEST_CASE("I10 IHDR is read whole or refused") {
  CHECK(of_ihdr({}) == "ok");
  CHECK(of_ihdr({.interlace = 1}) == "ok");
  for (const Ihdr& bad : {Ihdr{.compression = 1}, Ihdr{.filter = 1}, Ihdr{.interlace = 2}})
    CHECK(of_ihdr(bad) == "corrupt: unknown compression, filter or interlace method");
  CHECK(of_ihdr({.width = 0}) == "corrupt: width or height of 0");
  CHECK(of_ihdr({.height = 0}) == "corrupt: width or height of 0");
  CHECK(of_ihdr({.width = 0x80000000}) == "corrupt: width or height above 2^31 - 1");
  CHECK(of_ihdr({.height = 0x80000000}) == "corrupt: width or height above 2^31 - 1");
  const auto good = ihdr({});
  CHECK(verdict(png_info(Pixels(good.begin(), good.begin() + 15))) == "truncated: cut inside IHDR");
  CHECK(verdict(png_info(Pixels(good.begin(), good.begin() + 30))) == "truncated: cut inside IHDR");
  CHECK(verdict(png_info(png_signature + png_chunk("IHDR", Pixels(12)) + idat)) ==
        "corrupt: no IHDR");
  CHECK(verdict(png_info(png_signature + png_chunk("IDAT", Pixels(13)) + idat)) ==
        "corrupt: no IHDR");
  auto wrong = good;
  wrong[20] ^= 1;
  CHECK(verdict(png_info(wrong + idat + iend)) == "corrupt: wrong CRC of IHDR");
}

TEST_CASE("I10 each colour type has only the depths of the standard") {
  const std::uint32_t allowed[] = {0b11111, 0, 0b11000, 0b01111, 0b11000, 0, 0b11000, 0};
  const int channels[] = {1, 0, 3, 3, 2, 0, 4, 0};
  for (std::uint8_t colour = 0; colour < 8; ++colour) {
    for (std::uint32_t depth = 0; depth < 33; ++depth) {
      CAPTURE(int(colour), depth);
      const auto palette = colour == 3 ? png_chunk("PLTE", {1, 2, 3}) : Pixels{};
      const auto header = ihdr({.depth = static_cast<std::uint8_t>(depth), .colour = colour});
      const auto info = png_info(header + palette + idat + iend);
      bool good = false;
      for (int bit = 0; bit < 5; ++bit)
        good = good || (depth == 1u << bit && (allowed[colour] >> bit & 1) != 0);
      REQUIRE(bool(info) == good);
      if (good) CHECK(int(info->channels) == channels[colour]);
    }
  }
}

TEST_CASE("I11 PNG chunks are checked by type and length before use") {
  const auto with = [](const Pixels& chunks) { return verdict(png_info(ihdr({}) + chunks)); };
  CHECK(with(idat + iend) == "ok");
  CHECK(with(png_chunk("tEXt", {1}) + idat + png_chunk("IDAT", {}) + iend) == "ok");
  CHECK(with(iend) == "corrupt: no IDAT");
  CHECK(with(ihdr({}) + iend) == "corrupt: chunk type that is no text");
  CHECK(with(png_chunk("IHDR", {}) + idat + iend) == "corrupt: second IHDR");
  CHECK(with(png_chunk("ABCD", {}) + idat + iend) == "corrupt: unknown critical chunk ABCD");
  for (const auto* type : {"@Ext", "t[xt", "tE`t", "tEX{", "te\x01t"})
    CHECK(with(png_chunk(type, {}) + idat + iend) == "corrupt: chunk type that is no text");
  CHECK(with(be(1 << 21, 4) + text("tEXt") + idat) ==
        "limit: tEXt chunk of 2097152 bytes is above `max_ancillary_bytes` 1048576");
  CHECK(with(be(0x80000000, 4) + text("IDAT") + iend) ==
        "corrupt: IDAT chunk longer than 2^31 - 1");
  CHECK(verdict(png_info(ihdr({.colour = 3}) + idat + iend)) ==
        "corrupt: palette image without PLTE");
  CHECK(verdict(png_info(ihdr({.colour = 3}) + png_chunk("PLTE", {1, 2, 3}) + idat + iend)) ==
        "ok");
}

TEST_CASE("I10 a cut PNG is refused, or damaged in lenient mode") {
  const auto cuts = {ihdr({}) + idat, ihdr({}) + idat + Pixels{0, 0, 0},
                     ihdr({}) + idat + be(100, 4) + text("IDAT") + Pixels(20)};
  for (const auto& cut : cuts) {
    CHECK(verdict(png_info(cut)) == "truncated: cut before IEND");
    const auto lenient = png_info(cut, false);
    REQUIRE(lenient);
    CHECK(lenient->damaged);
  }
  CHECK(verdict(png_info(ihdr({}), false)) == "truncated: cut before IEND");
  CHECK_FALSE(png_info(ihdr({}) + idat + iend, false)->damaged);
}

TEST_CASE("I8 eXIf turns a PNG") {
  const auto exif =
      text(std::string_view("II*\0\x08\0\0\0\x01\0\x12\x01\3\0\1\0\0\0\x08\0\0\0", 22));
  const auto info = png_info(ihdr({}) + png_chunk("eXIf", exif) + idat + iend);
  REQUIRE(info);
  CHECK(int(info->orientation) == 8);
}

TEST_CASE("I8 an orientation counts only if its entry is valid") {
  const auto entry = [](std::uint64_t tag, std::uint64_t type, std::uint64_t count,
                        std::uint64_t value) {
    return le(tag, 2) + le(type, 2) + le(count, 4) + le(value, 4);
  };
  const auto head = text("II") + le(42, 2) + le(8, 4);
  const auto orientation = [](const Pixels& tiff) { return int(exif_orientation(view(tiff))); };
  CHECK(orientation(head + le(1, 2) + entry(0x112, 3, 1, 5)) == 5);
  CHECK(orientation(head + le(2, 2) + entry(0x100, 4, 1, 5) + entry(0x112, 3, 1, 7)) == 7);
  CHECK(orientation(head + le(1, 2) + entry(0x100, 3, 1, 5)) == 1);
  for (const auto& bad :
       {entry(0x112, 5, 1, 5), entry(0x112, 3, 2, 5), entry(0x112, 3, 1, 0), entry(0x112, 3, 1, 9)})
    CHECK(orientation(head + le(1, 2) + bad) == 1);
  // The header claims more entries than exist.
  CHECK(orientation(head + le(9, 2) + entry(0x112, 3, 1, 5)) == 5);
  CHECK(orientation(head + le(1, 2) + Pixels(11)) == 1);
  CHECK(orientation(head) == 1);
  CHECK(orientation(text("II") + le(42, 2)) == 1);
  CHECK(orientation(text("II") + le(43, 2) + le(8, 4)) == 1);
  CHECK(orientation(text("MM") + be(42, 2) + be(8, 4) + be(1, 2) + be(0x112, 2) + be(3, 2) +
                    be(1, 4) + be(4, 2) + be(0, 2)) == 4);
  CHECK(orientation({}) == 1);
}

}  // namespace weir::codec::test
