#include <memory>
#include <optional>
#include <stdexcept>

#include "codec/decoder.hpp"
#include "codec/imgcodecs/headers.hpp"
#include "support/catch.hpp"
#include "tiff_bytes.hpp"

namespace weir::codec::test {
namespace {

std::string size_or_reason(imgcodecs::Header (*read)(Bytes), const Pixels& bytes) {
  try {
    const auto size = read(view(bytes));
    return std::to_string(size.width) + "x" + std::to_string(size.height);
  } catch (const SampleError& error) {
    return std::string(to_string(error.kind())) + ": " + error.what();
  }
}

/// Accepts every file and returns the prepared result, or throws.
class Parrot final : public ForeignCodec {
 public:
  explicit Parrot(Info info) : info_(info) {}
  explicit Parrot(bool standard) : standard_(standard) {}
  bool accepts(std::span<const std::byte> head) const noexcept override { return !head.empty(); }
  Info info(std::span<const std::byte>) const override {
    if (info_) return *info_;
    if (standard_) throw std::runtime_error("parrot\tis silent");
    throw 7;
  }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t>) const override {}

 private:
  std::optional<Info> info_;
  bool standard_ = false;
};

class Refuses final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte>) const noexcept override { return false; }
  Info info(std::span<const std::byte>) const override { return {}; }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t>) const override {}
};

std::string through(const Parrot& parrot) {
  DecoderOptions options;
  options.codecs = {std::make_shared<const Refuses>(), std::make_shared<const Parrot>(parrot)};
  const auto bytes = text("parrot");
  return verdict(probe_image(std::as_bytes(std::span(bytes)), options));
}

}  // namespace

#ifdef WEIR_HAS_OPENCV_CODEC
TEST_CASE("I13 BMP headers are read whole or refused") {
  const auto of = [](const Pixels& info) {
    return size_or_reason(imgcodecs::read_bitmap_header, text("BM") + Pixels(12) + info);
  };
  CHECK(of(le(12, 4) + le(40, 2) + le(30, 2) + Pixels(4)) == "40x30");
  CHECK(of(le(40, 4) + le(40, 4) + le(30, 4) + Pixels(24)) == "40x30");
  CHECK(of(le(40, 4) + le(40, 4) + le(0u - 30u, 4) + Pixels(24)) == "40x30");
  CHECK(of(le(40, 4) + le(0u - 40u, 4) + le(30, 4) + Pixels(24)) == "corrupt: negative BMP width");
  CHECK(of(le(13, 4) + Pixels(40)) == "corrupt: BMP header of an unknown size");
  CHECK(of(le(40, 4) + Pixels(31)) == "truncated: cut inside the BMP header");
  CHECK(of(le(12, 4) + Pixels(7)) == "truncated: cut inside the BMP header");
  const auto coded = [&](std::uint32_t bits, std::uint32_t compression, const Pixels& masks) {
    return of(le(40, 4) + le(40, 4) + le(30, 4) + le(1, 2) + le(bits, 2) + le(compression, 4) +
              Pixels(20) + masks);
  };
  const auto usual = le(0xff0000, 4) + le(0xff00, 4) + le(0xff, 4);
  CHECK(coded(32, 3, usual) == "40x30");
  CHECK(coded(32, 0, Pixels(12)) == "40x30");
  CHECK(coded(32, 3, Pixels(11)) == "truncated: cut inside the BMP header");
  for (const std::size_t byte : {0u, 2u, 3u, 4u, 8u, 11u}) {
    auto other = usual;
    other[byte] ^= 1;
    CHECK(coded(32, 3, other) ==
          "unsupported: BMP of 32 bits with masks that OpenCV ignores; convert it to PNG");
  }
  for (const std::uint32_t compression : {4u, 5u, 6u})
    CHECK(coded(32, compression, usual) ==
          "unsupported: BMP in a compression that OpenCV does not read; convert it to PNG");
}

TEST_CASE("I13 a PNM header may hold blanks and comments but must end") {
  const auto of = [](const std::string& header) {
    return size_or_reason(imgcodecs::read_netpbm_header, text(header));
  };
  CHECK(of("P6 40 30 255\n") == "40x30");
  CHECK(of("P6\n# by\n#hand\n\t40\r\v\f30 255\n") == "40x30");
  CHECK(of("P640 30 ") == "40x30");
  CHECK(of("P640 30") == "truncated: cut inside the PNM header");
  CHECK(of("P6 40 ") == "truncated: cut inside the PNM header");
  CHECK(of("P6 # 40") == "truncated: cut inside the PNM header");
  CHECK(of("P6 -40 30") == "corrupt: PNM header without its numbers");
  CHECK(of("P6 :40 30") == "corrupt: PNM header without its numbers");
  CHECK(of("P6 \x08 30") == "corrupt: PNM header without its numbers");
  CHECK(of("P6 4294967297 1") == "corrupt: PNM header with a number too large");
  CHECK(of("P6" + std::string(70'000, ' ') + "40 30") == "limit: PNM header without an end");
}

TEST_CASE("I13 a PNM comment ends where OpenCV ends it", "[I3]") {
  const auto of = [](const std::string& header) {
    return size_or_reason(imgcodecs::read_netpbm_header, text(header));
  };
  for (const char* kind : {"P1", "P2", "P3", "P4", "P5", "P6"}) {
    CHECK(of(kind + std::string("\n#\r20000 30000\n255\n8 8\n255\n")) == "20000x30000");
    CHECK(of(kind + std::string("\n#\r\n#\n40 #\r30\n")) == "40x30");
  }
  CHECK(of("P6 40#20000\n30 ") == "corrupt: PNM header without a blank behind a number");
  CHECK(of("P6 40 30#1\n") == "corrupt: PNM header without a blank behind a number");
  CHECK(of("P6 40,30 ") == "corrupt: PNM header without a blank behind a number");
}

TEST_CASE("I13 a TIFF's size is that of its first directory") {
  const auto of = [](const Pixels& bytes) {
    return size_or_reason(imgcodecs::read_tiff_header, bytes);
  };
  const auto head = text("II") + le(42, 2) + le(8, 4);
  const auto width = tiff_entry(256, 4, 40), height = tiff_entry(257, 3, 30);
  CHECK(of(head + le(2, 2) + width + height) == "40x30");
  CHECK(of(tiff_of({tiff_entry(305, 2, 9), height, width, tiff_entry(277, 3, 3)})) == "40x30");
  for (const std::uint64_t samples : {1u, 4u})
    CHECK(of(tiff_of({width, height, tiff_entry(277, 3, samples)})) == "40x30");
  CHECK(of(tiff_of({width, height, tiff_entry(277, 3, 2)})) ==
        "unsupported: TIFF of other than 1, 3 or 4 channels");
  for (const std::uint64_t depth : {32'997u, 32'998u})
    CHECK(of(tiff_of({width, height, tiff_entry(depth, 3, 2)})) ==
          "unsupported: TIFF of more than one layer");
  CHECK(of(text("MM") + be(42, 2) + be(8, 4) + be(1, 2) + be(256, 2) + be(3, 2) + be(1, 4) +
           be(40, 2) + be(0, 2)) == "40x0");
  CHECK(of(text("II") + le(42, 2)) == "truncated: cut inside the TIFF header");
  CHECK(of(head) == "truncated: TIFF directory beyond the end");
  CHECK(of(head + le(3, 2) + width + height) == "truncated: cut inside the TIFF directory");
}

TEST_CASE("I13 a TIFF tag that decides memory is unique and well typed", "[I3]") {
  const auto of = [](const Pixels& bytes) {
    return size_or_reason(imgcodecs::read_tiff_header, bytes);
  };
  const auto width = tiff_entry(256, 4, 40), height = tiff_entry(257, 3, 30);
  for (const std::uint64_t tag :
       {256u, 257u, 259u, 274u, 277u, 278u, 322u, 323u, 32'997u, 32'998u}) {
    const std::string at = "corrupt: TIFF tag " + std::to_string(tag) + " at byte ";
    CHECK(of(tiff_of({tiff_entry(tag, 4, 1), tiff_entry(305, 2, 1), tiff_entry(tag, 4, 1)})) ==
          at + "34 is there twice");
    for (const std::uint64_t type : {0u, 1u, 2u, 5u, 6u, 7u, 8u, 9u, 10u, 11u, 12u, 13u, 16u, 17u})
      CHECK(of(tiff_of({tiff_entry(tag, type, 8)}, Pixels(8))) ==
            at + "10 is neither SHORT nor LONG");
    CHECK(of(tiff_of({tiff_entry(tag, 3, 8, 0)})) == at + "10 has 0 values");
    CHECK(of(tiff_of({tiff_entry(tag, 3, 8, 2)})) == at + "10 has 2 values");
  }
  CHECK(of(tiff_of({tiff_entry(305, 2, 1), tiff_entry(305, 2, 1), width, height})) == "40x30");
  // With any value of these, 16 bits and planes are charged.
  for (const std::uint64_t tag : {258u, 284u}) {
    const auto other = tiff_entry(tag, 3, 51, 3);
    CHECK(of(tiff_of({width, height, other, other}, Pixels(12))) == "40x30");
  }
  CHECK(of(tiff_of({width, tiff_entry(40'000, 200, 0, 60), height})) == "40x30");
  CHECK(of(tiff_of({width, tiff_entry(40'000, 1, 0, 60), height, tiff_entry(40'001, 1, 0, 60)})) ==
        "corrupt: TIFF directory with more values than the file has bytes");
}

TEST_CASE("I13 the bytes of a TIFF that turn or darken it are known") {
  using Ones = std::array<std::size_t, 2>;
  const auto of = [](const Pixels& bytes) { return imgcodecs::read_tiff_header(view(bytes)).ones; };
  const auto turned = [&](std::uint32_t type, std::uint32_t value) {
    return of(text("MM") + be(42, 2) + be(8, 4) + be(1, 2) + be(274, 2) + be(type, 2) + be(1, 4) +
              be(value, type == 3 ? 2 : 4) + Pixels(8));
  };
  CHECK(turned(3, 6) == Ones{19, 0});
  CHECK(turned(4, 6) == Ones{21, 0});
  for (const std::uint32_t upright : {0u, 1u, 9u}) CHECK(turned(3, upright) == Ones{});
  const auto alpha = [&](std::uint32_t samples, std::uint32_t kind, std::uint32_t bits = 8) {
    return of(tiff_of({tiff_entry(262, 3, 2), tiff_entry(274, 4, 2), tiff_entry(277, 3, samples),
                       tiff_entry(338, 3, kind), tiff_entry(258, 3, bits)}));
  };
  CHECK(alpha(4, 2) == Ones{30, 54});
  CHECK(alpha(4, 1) == Ones{30, 0});
  CHECK(alpha(3, 2) == Ones{30, 0});
  CHECK(alpha(4, 2, 16) == Ones{30, 0});
}

TEST_CASE("I13 TIFF tiles that libtiff may not read are known") {
  const auto of = [](TiffKind kind, std::uint32_t coding = 1, std::uint32_t side = 16) {
    const bool tiled = kind.tile_width != 0;
    const auto header = imgcodecs::read_tiff_header(
        view(tiff_of({tiff_entry(256, 4, 8), tiff_entry(257, 4, 8), tiff_entry(258, 3, kind.bits),
                      tiff_entry(259, 3, coding), tiff_entry(262, 3, kind.samples == 1 ? 1 : 2),
                      tiff_entry(277, 3, kind.samples), tiff_entry(284, 3, kind.planes),
                      tiff_entry(tiled ? 322 : 254, 4, kind.tile_width),
                      tiff_entry(tiled ? 323 : 255, 4, side)})));
    return header.undecoded != nullptr;
  };
  for (const std::uint32_t width : {16u, 32u, 48u, 64u}) {
    const TiffKind grey{.tile_width = width, .samples = 1};
    CHECK(of(grey) == (width != 64));
    CHECK(of(grey, 1, 32) == (width % 32 != 0));
    CHECK_FALSE(of(grey, 5));
    CHECK(of({.tile_width = width}) == (width != 64));
    CHECK_FALSE(of({.tile_width = width, .samples = 4}));
    CHECK(of({.tile_width = width, .samples = 4, .planes = 2}) == (width != 64));
    CHECK_FALSE(of({.tile_width = width, .bits = 16, .samples = 1}));
  }
  CHECK_FALSE(of({.samples = 1}));
}

TEST_CASE("I13 a TIFF is refused if its compression hides its memory", "[I3]") {
  const auto of = [](std::uint64_t compression) {
    return size_or_reason(
        imgcodecs::read_tiff_header,
        tiff_of({tiff_entry(256, 4, 8), tiff_entry(257, 4, 9), tiff_entry(259, 3, compression)}));
  };
  for (const std::uint64_t known : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 32'773u, 32'946u})
    CHECK(of(known) == "8x9");
  // LZMA, Zstandard, WebP, JBIG, LERC, PixarLog, SGILog, old JPEG.
  for (const std::uint64_t other :
       {34'925u, 50'000u, 50'001u, 34'661u, 34'887u, 32'909u, 34'676u, 6u})
    CHECK(of(other) == "unsupported: TIFF in a compression whose memory its header does not tell");
}

TEST_CASE("I13 the tallest JPEG frame in a TIFF strip is charged", "[I3]") {
  const auto need = [](std::uint32_t marker, std::uint32_t length, std::uint32_t width,
                       bool tiled = false) {
    const auto frame = be(marker, 2) + be(length, 2) + le(8, 1) + be(4000, 2) + be(width, 2) +
                       le(3, 1) + Pixels(9);
    const auto bytes =
        tiff_of({tiff_entry(256, 4, 64), tiff_entry(257, 4, 16), tiff_entry(259, 3, 7),
                 tiff_entry(277, 3, 3), tiff_entry(tiled ? 322 : 254, 4, 64),
                 tiff_entry(tiled ? 323 : 255, 4, 16)},
                frame);
    return imgcodecs::read_tiff_header(view(bytes)).bytes;
  };
  const auto none = need(0, 17, 64), tile = need(0, 17, 64, true);
  for (const std::uint32_t marker : {0xffc0u, 0xffc1u, 0xffc2u, 0xffc3u, 0xffc9u, 0xffcfu})
    CHECK(need(marker, 17, 64) >= none + 64 * (4000 - 32) * 2 * 3);
  // Tables, markers without a frame, a frame of another length, and one of another width.
  for (const std::uint32_t marker : {0xffbfu, 0xffc4u, 0xffc8u, 0xffccu, 0xffd0u, 0xffdbu})
    CHECK(need(marker, 17, 64) == none);
  CHECK(need(0xffc0, 18, 64) == none);
  CHECK(need(0xffc0, 17, 65) == none);
  // libtiff decodes only the tile's own size.
  CHECK(need(0xffc0, 17, 64, true) == tile);
}

TEST_CASE("I13 a TIFF's tile or strip is refused if it is far too large", "[I3]") {
  const auto of = [](std::uint32_t side, std::initializer_list<std::uint32_t> tile) {
    const auto part = [&](std::size_t i) {
      return tile.size() == 2 ? tiff_entry(322 + i, 4, tile.begin()[i])
                              : tiff_entry(i == 0 ? 278 : 254, 4, *tile.begin());
    };
    return size_or_reason(
        imgcodecs::read_tiff_header,
        tiff_of({tiff_entry(256, 4, side), tiff_entry(257, 4, side), part(0), part(1)}));
  };
  const std::string larger = "limit: TIFF tile or strip larger than its image and than 4096x4096";
  CHECK(of(8, {4096, 4096}) == "8x8");
  CHECK(of(8, {4096, 4097}) == larger);
  CHECK(of(8, {16'384, 16'384}) == larger);
  CHECK(of(8, {0xffff'ffff, 0xffff'ffff}) == larger);
  CHECK(of(4999, {5008, 5008}) == "4999x4999");
  CHECK(of(4999, {5024, 5024}) == larger);
  for (const std::uint32_t rows : {0u, 1u, 8u, 1u << 21, 0xffff'ffffu})
    CHECK(of(8, {rows}) == "8x8");
  CHECK(of(8, {(1u << 21) + 1}) == larger);
  const std::string no_side = "corrupt: TIFF tiles without width or height";
  CHECK(of(8, {0, 16}) == no_side);
  CHECK(of(8, {16, 0}) == no_side);
  for (const std::uint64_t tag : {322u, 323u})
    CHECK(size_or_reason(imgcodecs::read_tiff_header,
                         tiff_of({tiff_entry(256, 4, 8), tiff_entry(257, 4, 8),
                                  tiff_entry(tag, 4, 16)})) == no_side);
}
#endif

TEST_CASE("I13 what a user's codec reports about an image is checked") {
  CHECK(through(Parrot({40, 30, 0})) == "ok");
  CHECK(through(Parrot({0, 30, 0})) == "corrupt: width or height of 0");
  CHECK(through(Parrot({40, 0, 0})) == "corrupt: width or height of 0");
  CHECK(through(Parrot({70'000, 1, 0})) == "limit: 70000x1 has a side above `max_side` 65500");
  CHECK(through(Parrot({1, 70'000, 0})) == "limit: 1x70000 has a side above `max_side` 65500");
  CHECK(
      through(Parrot({60'000, 60'000, 0})).starts_with("limit: 60000x60000 is above `max_pixels`"));
  CHECK(through(Parrot(true)) == "corrupt: parrot\\x09is silent");
  CHECK(through(Parrot(false)) == "corrupt: the codec threw something that is no std::exception");
}

}  // namespace weir::codec::test
