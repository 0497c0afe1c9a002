#include <zlib.h>

#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// One unsigned sample of `depth` bits for each position, and the rows into which PNG packs them.
struct Samples {
  std::uint32_t width = 0, height = 0, channels = 0;
  int depth = 8;
  std::vector<std::uint32_t> values{};

  std::uint32_t at(std::uint32_t x, std::uint32_t y, std::uint32_t c) const {
    return values[(std::size_t{y} * width + x) * channels + c];
  }
  Pixels packed() const {
    const std::size_t row_bits = std::size_t{width} * channels * static_cast<std::size_t>(depth);
    const std::size_t stride = (row_bits + 7) / 8;
    Pixels out(stride * height);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / (width * channels), column = i % (width * channels);
      const std::size_t bit = column * static_cast<std::size_t>(depth);
      std::uint8_t* byte = out.data() + row * stride + bit / 8;
      if (depth == 16) {
        byte[0] = static_cast<std::uint8_t>(values[i] >> 8);
        byte[1] = static_cast<std::uint8_t>(values[i]);
      } else {
        *byte = static_cast<std::uint8_t>(
            *byte | (values[i] << (8 - static_cast<std::size_t>(depth) - bit % 8)));
      }
    }
    return out;
  }
};

Samples samples(std::uint32_t channels, int depth) {
  Samples result{37, 23, channels, depth};
  for (std::uint32_t i = 0; i < 37 * 23 * channels; ++i) {
    result.values.push_back((i * 2'654'435'761u >> 7) & ((1u << depth) - 1));
  }
  return result;
}

/// The documented policy: 16 bits lose their low byte, fewer are scaled to 0-255, alpha is dropped.
std::uint8_t expected(const Samples& s, int colour, std::uint32_t x, std::uint32_t y,
                      std::uint32_t c) {
  if (colour == 3) return palette_entry(s.at(x, y, 0), c);
  const std::uint32_t value = s.at(x, y, colour == 2 || colour == 6 ? c : 0);
  if (s.depth == 16) return static_cast<std::uint8_t>(value >> 8);
  return static_cast<std::uint8_t>(value * 255 / ((1u << s.depth) - 1));
}

}  // namespace

TEST_CASE("every PNG colour type and depth follows the written policy", "[I10]") {
  struct Row {
    int colour;
    std::uint32_t channels;
    std::vector<int> depths;
  };
  const Row rows[] = {{0, 1, {1, 2, 4, 8, 16}},
                      {2, 3, {8, 16}},
                      {3, 1, {1, 2, 4, 8}},
                      {4, 2, {8, 16}},
                      {6, 4, {8, 16}}};
  for (const auto& row : rows) {
    for (const int depth : row.depths) {
      for (const bool interlaced : {false, true}) {
        for (const bool transparency : {false, true}) {
          if (transparency && row.colour >= 4) continue;
          CAPTURE(row.colour, depth, interlaced, transparency);
          const Samples s = samples(row.channels, depth);
          const PngStyle style{.depth = depth,
                               .colour = row.colour,
                               .interlaced = interlaced,
                               .palette_size = std::size_t{1} << std::min(depth, 8),
                               .transparency = transparency};
          const Outcome outcome = run_whole(encode_png(s.width, s.height, s.packed(), style));
          REQUIRE(outcome);
          bool equal = true;
          for (std::uint32_t i = 0; i < s.width * s.height * 3; ++i) {
            const std::uint32_t x = i / 3 % s.width, y = i / 3 / s.width;
            equal = equal && outcome.row[i] == expected(s, row.colour, x, y, i % 3);
          }
          CHECK(equal);
        }
      }
    }
  }
}

TEST_CASE("16-bit samples are cut, not rounded: 40000 becomes 156", "[I10]") {
  Samples s{1, 1, 1, 16, {40000}};
  const Outcome outcome = run_whole(encode_png(1, 1, s.packed(), {.depth = 16, .colour = 0}));
  REQUIRE(outcome);
  CHECK(outcome.row == Pixels{156, 156, 156});
}

TEST_CASE("a palette index beyond the palette is black", "[I10]") {
  Samples s{2, 1, 1, 8, {0, 200}};
  const PngStyle style{.colour = 3, .palette_size = 1};
  const Outcome outcome = run_whole(encode_png(2, 1, s.packed(), style));
  REQUIRE(outcome);
  CHECK(outcome.row ==
        Pixels{palette_entry(0, 0), palette_entry(0, 1), palette_entry(0, 2), 0, 0, 0});
}

TEST_CASE("a wrong CRC of image data is corrupt, of text is not", "[I10]") {
  const Encoded good = encode_png(37, 23, pattern(37, 23).values, {});
  Encoded bad = good;
  bad[good.size() - 17] ^= std::byte{1};  // the last byte of IDAT's CRC is 13 before the end
  const Outcome outcome = run_whole(bad);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.defect().kind == FaultKind::corrupt);

  const Encoded text = to_bytes(Pixels{0, 0, 0, 3, 't', 'E', 'X', 't', 'a', 0, 'b', 9, 9, 9, 9});
  Encoded noted = good;
  noted.insert(noted.begin() + 33, text.begin(), text.end());
  const Outcome kept = run_whole(noted);
  REQUIRE(kept);
  CHECK(kept.row == pattern(37, 23).values);
}

TEST_CASE("only what stands behind IEND is ignored", "[I9][I10]") {
  Encoded png = encode_png(37, 23, pattern(37, 23).values, {});
  png.insert(png.end(), 100, std::byte{0x77});
  const Outcome outcome = run_whole(png);
  REQUIRE(outcome);
  CHECK(outcome.row == pattern(37, 23).values);

  png.resize(png.size() - 112);  // and removes IEND
  CHECK_FALSE(run_whole(png));
  const Outcome lenient = run_whole(png, false);
  REQUIRE(lenient);
  CHECK(lenient.decoded->status == RowStatus::damaged);
  CHECK(lenient.row == pattern(37, 23).values);
}

namespace {

/// With a correct CRC, which libpng requires for every chunk.
Encoded chunk(std::string_view type, const Pixels& body) {
  Pixels bytes{static_cast<std::uint8_t>(body.size() >> 24),
               static_cast<std::uint8_t>(body.size() >> 16),
               static_cast<std::uint8_t>(body.size() >> 8), static_cast<std::uint8_t>(body.size())};
  bytes.insert(bytes.end(), type.begin(), type.end());
  bytes.insert(bytes.end(), body.begin(), body.end());
  const auto crc = crc32(0, bytes.data() + 4, static_cast<uInt>(bytes.size() - 4));
  for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<std::uint8_t>(crc >> shift));
  return to_bytes(bytes);
}

constexpr std::ptrdiff_t behind_ihdr = 33;

}  // namespace

TEST_CASE("a palette image without its palette is corrupt", "[I10]") {
  Encoded png = encode_png(8, 8, pattern(8, 8, 1).values, {.colour = 3});
  constexpr std::ptrdiff_t palette_chunk = 12 + 3 * 256;
  png.erase(png.begin() + behind_ihdr, png.begin() + behind_ihdr + palette_chunk);
  const Outcome outcome = run_whole(png);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.defect().kind == FaultKind::corrupt);
  CHECK(outcome.defect().offset == std::uint64_t{behind_ihdr});
}

TEST_CASE("compressed ancillary chunks are never inflated", "[I11]") {
  const Encoded good = encode_png(37, 23, pattern(37, 23).values, {});
  constexpr std::size_t inflated = 100 << 20;
  Pixels squeezed(compressBound(inflated) / 512);
  {
    z_stream zip{};
    REQUIRE(deflateInit(&zip, 9) == Z_OK);
    const Pixels zeros(1 << 20);
    zip.next_out = squeezed.data();
    zip.avail_out = static_cast<uInt>(squeezed.size());
    for (std::size_t done = 0; done < inflated; done += zeros.size()) {
      zip.next_in = const_cast<Bytef*>(zeros.data());
      zip.avail_in = static_cast<uInt>(zeros.size());
      REQUIRE(deflate(&zip, done + zeros.size() == inflated ? Z_FINISH : Z_NO_FLUSH) >= Z_OK);
    }
    squeezed.resize(zip.total_out);
    deflateEnd(&zip);
  }
  for (const auto& [type, head] :
       {std::pair{"zTXt", Pixels{'k', 0, 0}}, std::pair{"iCCP", Pixels{'k', 0, 0}},
        std::pair{"iTXt", Pixels{'k', 0, 1, 0, 0, 0}}}) {
    Pixels body = head;
    body.insert(body.end(), squeezed.begin(), squeezed.end());
    Encoded bomb = good;
    const auto bytes = chunk(type, body);
    bomb.insert(bomb.begin() + behind_ihdr, bytes.begin(), bytes.end());
    // All of libpng's memory comes from the arena, which has the same size without the chunk.
    CHECK(plan_row(Decoder(DecoderOptions{}), *Decoder(DecoderOptions{}).probe(bomb), 0)
              .memory.scratch ==
          plan_row(Decoder(DecoderOptions{}), *Decoder(DecoderOptions{}).probe(good), 0)
              .memory.scratch);
    const Outcome outcome = run_whole(bomb);
    CAPTURE(type);
    REQUIRE(outcome);
    CHECK(outcome.row == pattern(37, 23).values);
  }
}

TEST_CASE("a bad tRNS chunk is a fault only in strict mode", "[I10]") {
  const Raster image = pattern(8, 8);
  auto png = encode_png(8, 8, image.values, {});
  const auto wrong = chunk("tRNS", {0, 1, 0, 2, 0});
  png.insert(png.begin() + behind_ihdr, wrong.begin(), wrong.end());
  const FitSpec own{.out = {8, 8}, .fit = Fit::stretch};
  CHECK_FALSE(run({.fit = own}, png));
  const Outcome lenient = run({.fit = own, .strict = false}, png);
  REQUIRE(lenient);
  CHECK(lenient.row == image.values);
}

TEST_CASE("of an animated PNG the first image is delivered", "[I11]") {
  const Encoded good = encode_png(37, 23, pattern(37, 23).values, {});
  Encoded animated = good;
  const auto control = chunk("acTL", {0, 0, 0, 2, 0, 0, 0, 0});
  const auto frame = chunk("fdAT", {0, 0, 0, 1, 'n', 'o', 'n', 'e'});
  animated.insert(animated.end() - 12, frame.begin(), frame.end());
  animated.insert(animated.begin() + behind_ihdr, control.begin(), control.end());
  const Outcome outcome = run_whole(animated);
  REQUIRE(outcome);
  CHECK(outcome.row == pattern(37, 23).values);
}

}  // namespace weir::codec::test
