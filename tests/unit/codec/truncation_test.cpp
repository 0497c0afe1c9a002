#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

struct Sample {
  const char* name;
  Encoded encoded;
};

std::vector<Sample> samples() {
  const Raster image = pattern(40, 30);
  return {{"baseline JPEG", encode_jpeg(image)},
          {"4:4:4 JPEG", encode_jpeg(image, {.sampling = 1})},
          {"grey JPEG", encode_jpeg(pattern(40, 30, 1))},
          {"CMYK JPEG", encode_jpeg(pattern(40, 30, 4))},
          {"progressive JPEG", encode_jpeg(image, {.progressive = true})},
          {"arithmetic JPEG", encode_jpeg(image, {.arithmetic = true})},
          {"restart JPEG", encode_jpeg(image, {.restart_rows = 1})},
          {"PNG", encode_png(40, 30, image.values, {})},
          {"interlaced PNG", encode_png(40, 30, image.values, {.interlaced = true})},
          {"lossy WebP", encode_webp(image, 80.f)},
          {"lossless WebP", encode_webp(image, std::nullopt)},
          {"lossy WebP with alpha", encode_webp(pattern(40, 30, 4), 80.f)}};
}

}  // namespace

TEST_CASE("a file cut at any byte is a defect in strict mode") {
  for (const auto& [name, encoded] : samples()) {
    CAPTURE(name);
    REQUIRE(run_whole(encoded));
    std::size_t silent = 0;
    for (std::size_t length = 0; length < encoded.size(); ++length) {
      if (run_whole(std::span(encoded).first(length))) ++silent;
    }
    CHECK(silent == 0);
  }
}

TEST_CASE("a cut is found in what a crop does not need, too") {
  const DecoderOptions options{.fit = {.out = {4, 4, 3}, .fit = Fit::center, .short_side = 30}};
  for (const auto& [name, encoded] : samples()) {
    CAPTURE(name);
    REQUIRE(run(options, encoded));
    std::size_t silent = 0;
    for (std::size_t length = 0; length < encoded.size(); ++length) {
      if (run(options, std::span(encoded).first(length))) ++silent;
    }
    CHECK(silent == 0);
  }
}

TEST_CASE("lenient mode delivers a cut file full size, flagged, and never shows stale memory") {
  for (const auto& [name, encoded] : samples()) {
    CAPTURE(name);
    std::size_t delivered = 0, unflagged = 0, stale = 0;
    for (std::size_t length = 0; length < encoded.size(); ++length) {
      const auto cut = std::span(encoded).first(length);
      for (const Fit fit : {Fit::stretch, Fit::letterbox, Fit::center}) {
        const DecoderOptions options{.fit = {.out = {30, 40, 3}, .fit = fit, .short_side = 40},
                                     .strict = false};
        const Outcome one = run(options, cut, 0, 0xa5), other = run(options, cut, 0, 0x5a);
        if (!one) continue;
        ++delivered;
        if (one.decoded->status != RowStatus::damaged) ++unflagged;
        if (one.row != other.row) ++stale;
      }
    }
    CHECK(delivered > encoded.size() / 4);
    CHECK(unflagged == 0);
    CHECK(stale == 0);
  }
}

TEST_CASE("rows that lenient mode cannot decode are grey") {
  const Encoded jpeg = encode_jpeg(pattern(64, 256));
  const Outcome outcome = run_whole(std::span(jpeg).first(jpeg.size() / 2), false);
  REQUIRE(outcome);
  const std::size_t last = outcome.row.size() - 3;
  CHECK(outcome.row[last] == outcome.row[last - 3]);
  const Encoded png = encode_png(64, 256, pattern(64, 256).values, {});
  const Outcome cut = run_whole(std::span(png).first(png.size() / 2), false);
  REQUIRE(cut);
  CHECK(cut.row[0] == pattern(64, 256).values[0]);
  CHECK(int(cut.row.back()) == 128);
}

}  // namespace weir::codec::test
