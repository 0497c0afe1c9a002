#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// An unsigned sample of `depth` bits for each place, and the rows that PNG packs them into.
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

/// The written policy: 16 bits lose their low byte, fewer are spread over 0-255, alpha is dropped.
std::uint8_t expected(const Samples& s, int colour, std::uint32_t x, std::uint32_t y,
                      std::uint32_t c) {
  if (colour == 3) return palette_entry(s.at(x, y, 0), c);
  const std::uint32_t value = s.at(x, y, colour == 2 || colour == 6 ? c : 0);
  if (s.depth == 16) return static_cast<std::uint8_t>(value >> 8);
  return static_cast<std::uint8_t>(value * 255 / ((1u << s.depth) - 1));
}

}  // namespace

TEST_CASE("PNG of every colour type and depth follows the written policy") {
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

TEST_CASE("16-bit samples are cut, not rounded: 40000 becomes 156") {
  Samples s{1, 1, 1, 16, {40000}};
  const Outcome outcome = run_whole(encode_png(1, 1, s.packed(), {.depth = 16, .colour = 0}));
  REQUIRE(outcome);
  CHECK(outcome.row == Pixels{156, 156, 156});
}

TEST_CASE("a palette index beyond the palette is black") {
  Samples s{2, 1, 1, 8, {0, 200}};
  const PngStyle style{.colour = 3, .palette_size = 1};
  const Outcome outcome = run_whole(encode_png(2, 1, s.packed(), style));
  REQUIRE(outcome);
  CHECK(outcome.row ==
        Pixels{palette_entry(0, 0), palette_entry(0, 1), palette_entry(0, 2), 0, 0, 0});
}

TEST_CASE("a wrong CRC of image data is corrupt, of text is not") {
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

TEST_CASE("only what stands behind IEND is ignored") {
  Encoded png = encode_png(37, 23, pattern(37, 23).values, {});
  png.insert(png.end(), 100, std::byte{0x77});
  const Outcome outcome = run_whole(png);
  REQUIRE(outcome);
  CHECK(outcome.row == pattern(37, 23).values);

  png.resize(png.size() - 112);  // and IEND with it
  CHECK_FALSE(run_whole(png));
  const Outcome lenient = run_whole(png, false);
  REQUIRE(lenient);
  CHECK(lenient.decoded->status == RowStatus::damaged);
  CHECK(lenient.row == pattern(37, 23).values);
}

}  // namespace weir::codec::test
