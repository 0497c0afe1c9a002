#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {

TEST_CASE("JPEG pixels equal libjpeg's for every kind of coding", "[I6]") {
  const Raster image = pattern(67, 45);
  for (const int sampling : {1, 2}) {
    for (const bool progressive : {false, true}) {
      for (const bool arithmetic : {false, true}) {
        for (const int restart_rows : {0, 1}) {
          CAPTURE(sampling, progressive, arithmetic, restart_rows);
          const Encoded jpeg = encode_jpeg(image, {.sampling = sampling,
                                                   .progressive = progressive,
                                                   .arithmetic = arithmetic,
                                                   .restart_rows = restart_rows});
          const Outcome outcome = run_whole(jpeg);
          REQUIRE(outcome);
          CHECK(outcome.decoded->status == RowStatus::ok);
          CHECK(outcome.row == reference_jpeg(jpeg).values);
        }
      }
    }
  }
}

TEST_CASE("JPEG pixels are libjpeg's own, whatever the sampling", "[I6]") {
  for (const auto& style :
       {JpegStyle{.sampling = 2, .rows = 1}, JpegStyle{.sampling = 1, .rows = 2},
        JpegStyle{.sampling = 4, .rows = 1}, JpegStyle{.sampling = 1, .rows = 4},
        JpegStyle{.sampling = 4, .rows = 2}, JpegStyle{.sampling = 2, .chroma = 2},
        JpegStyle{.sampling = 2, .chroma_rows = 2}, JpegStyle{.sampling = 1, .chroma = 2},
        JpegStyle{.sampling = 1, .rows = 2, .chroma = 2}}) {
    CAPTURE(style.sampling, style.rows, style.chroma, style.chroma_rows);
    const Encoded jpeg = encode_jpeg(pattern(67, 45), style);
    const Outcome outcome = run_whole(jpeg);
    REQUIRE(outcome);
    CHECK(outcome.row == reference_jpeg(jpeg).values);
  }
}

TEST_CASE("RGB JPEG is taken as it is", "[I5]") {
  const Encoded jpeg = encode_jpeg(pattern(31, 18), {.quality = 100, .sampling = 1, .rgb = true});
  const Outcome outcome = run_whole(jpeg);
  REQUIRE(outcome);
  CHECK(outcome.row == reference_jpeg(jpeg).values);
  const Raster image = pattern(31, 18);
  int worst = 0;
  for (std::size_t i = 0; i < image.values.size(); ++i)
    worst = std::max(worst, std::abs(outcome.row[i] - image.values[i]));
  CHECK(worst <= 3);
}

TEST_CASE("grey JPEG becomes three equal channels", "[I5]") {
  const Encoded jpeg = encode_jpeg(pattern(31, 18, 1));
  const Outcome outcome = run_whole(jpeg);
  REQUIRE(outcome);
  const Raster grey = reference_jpeg(jpeg);
  for (std::size_t i = 0; i < grey.values.size(); ++i) {
    REQUIRE(outcome.row[3 * i] == grey.values[i]);
    REQUIRE(outcome.row[3 * i + 1] == grey.values[i]);
    REQUIRE(outcome.row[3 * i + 2] == grey.values[i]);
  }
}

TEST_CASE("CMYK and YCCK become RGB by the documented formula", "[I5]") {
  for (const auto& style : {JpegStyle{}, JpegStyle{.adobe_cmyk = false}, JpegStyle{.ycck = true}}) {
    const bool adobe = style.adobe_cmyk;
    const Encoded jpeg = encode_jpeg(pattern(31, 18, 4), style);
    const Outcome outcome = run_whole(jpeg);
    if (!outcome) FAIL(outcome.defect().reason);
    const Raster cmyk = reference_jpeg(jpeg);
    for (std::uint32_t y = 0; y < 18; ++y) {
      for (std::uint32_t x = 0; x < 31; ++x) {
        for (std::uint32_t c = 0; c < 3; ++c) {
          const int ink = cmyk.at(x, y, c), black = cmyk.at(x, y, 3);
          const double light = adobe ? ink * black / 255.0 : (255 - ink) * (255 - black) / 255.0;
          CAPTURE(adobe, x, y, c);
          REQUIRE(std::abs(outcome.row[(y * 31 + x) * 3 + c] - light) <= 0.5);
        }
      }
    }
  }
}

TEST_CASE("tables of one JPEG never serve the next") {
  // Without its quantisation table an image must fail, even after other images.
  const Encoded good = encode_jpeg(pattern(16, 16, 1));
  Encoded bare = good;
  for (std::size_t i = 0; i + 1 < bare.size(); ++i) {
    if (bare[i] == std::byte{0xff} && bare[i + 1] == std::byte{0xdb}) bare[i + 1] = std::byte{0xfe};
  }
  Decoder decoder(DecoderOptions{.fit = {.out = {16, 16}, .fit = Fit::stretch}});
  const std::atomic<bool> cancelled{false};
  Pixels row(16 * 16 * 3);
  for (const bool expected : {true, false, true, false}) {
    const Encoded& encoded = expected ? good : bare;
    const auto info = decoder.probe(encoded);
    REQUIRE(info);
    const auto plan = plan_row(decoder, *info, 0);
    const Scratch scratch(plan.memory.scratch);
    CHECK(bool(decoder.decode(encoded, plan, scratch, cancelled, row)) == expected);
  }
}

TEST_CASE("strict mode accepts junk before a marker, but no lost data", "[I2]") {
  const Encoded good = encode_jpeg(pattern(64, 48));
  Encoded junk = good;
  junk.insert(junk.begin() + 2, 5, std::byte{0x11});
  const Outcome passed = run_whole(junk);
  REQUIRE(passed);
  CHECK(passed.row == reference_jpeg(good).values);

  Encoded hole = good;
  const auto middle = static_cast<std::ptrdiff_t>(hole.size() / 2 + hole.size() / 4);
  hole.erase(hole.begin() + middle, hole.end() - 2);
  const Outcome strict = run_whole(hole);
  REQUIRE_FALSE(strict);
  CHECK(strict.defect().kind == FaultKind::corrupt);
  CHECK(strict.defect().offset.has_value());
  const Outcome lenient = run_whole(hole, false);
  REQUIRE(lenient);
  CHECK(lenient.decoded->status == RowStatus::damaged);
}

TEST_CASE("bytes left over by a scan are damage, except for padding", "[I2]") {
  const Encoded good = encode_jpeg(pattern(64, 48));
  // libjpeg does not count the bytes in its bit buffer, at most a word.
  for (const std::size_t left : {1u, 7u, 16u, 400u}) {
    Encoded longer = good;
    longer.insert(longer.end() - 2, left, std::byte{0x11});
    CAPTURE(left);
    const Outcome strict = run_whole(longer), lenient = run_whole(longer, false);
    CHECK(bool(strict) == (left < 8));
    if (!strict) {
      CHECK(strict.defect().kind == FaultKind::corrupt);
      CHECK_THAT(strict.defect().reason, weir::test::has_text(" extraneous bytes before marker"));
      CHECK_FALSE(strict.defect().reason.starts_with("Corrupt"));
    }
    REQUIRE(lenient);
    CHECK(lenient.row == reference_jpeg(good).values);
    CHECK((lenient.decoded->status == RowStatus::damaged) == (left >= 8));
  }
}

TEST_CASE("a marker whose code was wiped out is damage", "[I2]") {
  const Encoded good = encode_jpeg(pattern(64, 48));
  Encoded lost = good;
  lost.insert(lost.begin() + 2, {std::byte{0xff}, std::byte{0}, std::byte{0}, std::byte{2}});
  const Outcome strict = run_whole(lost), lenient = run_whole(lost, false);
  REQUIRE_FALSE(strict);
  CHECK(strict.defect().kind == FaultKind::corrupt);
  CHECK(strict.defect().offset == 2);
  REQUIRE(lenient);
  CHECK(lenient.decoded->status == RowStatus::damaged);
  CHECK(lenient.row == reference_jpeg(good).values);
}

TEST_CASE("a JPEG with too few bytes for its blocks is refused", "[I3]") {
  // A plain image, in which each block takes two bits.
  Raster plain = pattern(256, 256, 1);
  std::ranges::fill(plain.values, std::uint8_t{128});
  for (const bool arithmetic : {false, true}) {
    const Encoded jpeg = encode_jpeg(plain, {.arithmetic = arithmetic, .optimize = !arithmetic});
    CHECK(run_whole(jpeg));
    // The same bytes for an image with four times as many blocks.
    Encoded larger = jpeg;
    const std::byte frame[] = {std::byte{0xff}, std::byte(arithmetic ? 0xc9 : 0xc0)};
    const auto at = std::search(larger.begin(), larger.end(), std::begin(frame), std::end(frame));
    at[5] = std::byte{8};  // 2048 rows
    const auto info = Decoder(DecoderOptions{}).probe(larger);
    CAPTURE(jpeg.size());
    CHECK(bool(info) == arithmetic);
    if (!info) CHECK_THAT(info.defect().reason, weir::test::has_text("256x2048 pixels in "));
    CHECK(Decoder(DecoderOptions{.strict = false}).probe(larger));
  }
}

TEST_CASE("bytes behind the end of a JPEG are nobody's business", "[I9]") {
  const Encoded good = encode_jpeg(pattern(64, 48));
  Encoded twice = good;
  twice.insert(twice.end(), good.begin(), good.end());
  const Outcome outcome = run_whole(twice);
  REQUIRE(outcome);
  CHECK(outcome.row == reference_jpeg(good).values);
}

TEST_CASE("more scans than the limit are a limit, not work", "[I4]") {
  const Encoded jpeg = encode_jpeg(pattern(64, 48), {.progressive = true});
  // jpeg_simple_progression writes ten scans of a colour image.
  for (const std::uint32_t further : {9u, 8u}) {
    DecoderOptions options{.fit = {.out = {48, 64}, .fit = Fit::stretch},
                           .limits = {.max_scans = further}};
    const Outcome outcome = run(options, jpeg);
    CHECK(bool(outcome) == (further == 9));
    if (outcome) continue;
    CHECK(outcome.defect().kind == FaultKind::limit);
    CHECK_FALSE(outcome.info);  // detected from the markers, before memory for coefficients
  }
}

TEST_CASE("a cancelled decode stops") {
  const Encoded images[] = {encode_jpeg(pattern(64, 48)),
                            encode_png(64, 48, pattern(64, 48).values, {}),
                            encode_webp(pattern(64, 48), std::nullopt)};
  for (const Encoded& encoded : images) {
    Decoder decoder(DecoderOptions{});
    const auto info = decoder.probe(encoded);
    REQUIRE(info);
    const auto plan = plan_row(decoder, *info, 0);
    const Scratch scratch(plan.memory.scratch);
    Pixels row(224 * 224 * 3);
    const std::atomic<bool> cancelled{true};
    CHECK_FALSE(decoder.decode(encoded, plan, scratch, cancelled, row));
  }
}

}  // namespace weir::codec::test
