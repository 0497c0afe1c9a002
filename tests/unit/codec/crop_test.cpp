#include "rectangles.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

namespace weir::codec::test {
namespace {

Result<Pixels> decode_part(const Encoded& encoded, const ImageInfo& info, const PixelRect& source,
                           std::uint32_t reduce = 1) {
  auto decoded = decode_rectangle(encoded, info, source, reduce);
  if (!decoded.status) return decoded.status.defect();
  return std::move(decoded.pixels);
}

Pixels part(const Pixels& whole, std::uint32_t width, const PixelRect& r) {
  Pixels out;
  for (std::uint32_t y = r.y; y < r.y + r.height; ++y) {
    const auto row = whole.begin() + (std::ptrdiff_t{y} * width + r.x) * 3;
    out.insert(out.end(), row, row + std::ptrdiff_t{r.width} * 3);
  }
  return out;
}

/// How many of `count` rectangles differ from the same part of a whole decode.
std::size_t differing(const Encoded& jpeg, int count, Rectangles& rectangles) {
  const Outcome whole = run_whole(jpeg);
  if (!whole) FAIL(whole.defect().reason);
  const auto& info = *whole.info;
  std::size_t differ = 0;
  for (int i = 0; i < count; ++i) {
    const PixelRect r = rectangles.next(info.width, info.height);
    const auto pixels = decode_part(jpeg, info, r);
    if (!pixels) FAIL(pixels.defect().reason);
    if (*pixels == part(whole.row, info.width, r)) continue;
    ++differ;
    UNSCOPED_INFO(r.width << "x" << r.height << " at " << r.x << "," << r.y);
  }
  return differ;
}

/// The file with only its first scans, as during a transfer.
Encoded first_scans(const Encoded& jpeg, int scans) {
  std::size_t at = 0;
  for (int seen = -1; at + 1 < jpeg.size(); ++at) {
    if (jpeg[at] == std::byte{0xff} && jpeg[at + 1] == std::byte{0xda} && ++seen == scans) break;
  }
  Encoded cut(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(at));
  cut.insert(cut.end(), {std::byte{0xff}, std::byte{0xd9}});
  return cut;
}

constexpr std::pair<std::uint32_t, std::uint32_t> sizes[] = {
    {67, 45}, {16, 16}, {130, 97}, {33, 161}, {200, 17}, {3, 90}, {90, 5}, {1, 1}};

}  // namespace

TEST_CASE("any rectangle of a JPEG equals that of the whole image") {
  Rectangles rectangles(1);
  const JpegStyle samplings[] = {{.sampling = 1},
                                 {.sampling = 2, .rows = 1},
                                 {.sampling = 2, .rows = 2},
                                 {.sampling = 1, .rows = 2},
                                 {.sampling = 4, .rows = 1},
                                 {.sampling = 1, .rows = 4},
                                 {.sampling = 4, .rows = 2},
                                 {.sampling = 2, .rows = 4},
                                 {.sampling = 2, .rows = 2, .chroma = 2},
                                 {.sampling = 2, .rows = 2, .chroma_rows = 2},
                                 {.sampling = 3, .rows = 1},
                                 {.sampling = 4, .rows = 1, .chroma = 2},
                                 {.sampling = 2, .rows = 1, .chroma = 2}};
  for (JpegStyle style : samplings) {
    for (int coding = 0; coding < 5; ++coding) {
      style.progressive = (coding & 1) != 0;
      style.arithmetic = (coding & 2) != 0;
      style.restart_rows = coding == 4 ? 1 : 0;
      for (const auto& [width, height] : sizes) {
        CAPTURE(style.sampling, style.rows, style.chroma, style.chroma_rows, coding, width, height);
        CHECK(differing(encode_jpeg(pattern(width, height), style), 24, rectangles) == 0);
      }
    }
  }
}

TEST_CASE("a rectangle of a grey or CMYK JPEG equals the whole image's") {
  Rectangles rectangles(2);
  for (const std::uint32_t channels : {1u, 4u}) {
    for (const bool progressive : {false, true}) {
      for (const int factor : {1, 2, 4}) {
        for (const int rows : {1, 2}) {
          for (const auto& [width, height] : sizes) {
            CAPTURE(channels, progressive, factor, rows, width, height);
            const JpegStyle style{.sampling = factor, .rows = rows, .progressive = progressive};
            CHECK(differing(encode_jpeg(pattern(width, height, channels), style), 24, rectangles) ==
                  0);
          }
        }
      }
    }
  }
}

TEST_CASE("rectangles are exact in an unfinished progressive JPEG") {
  Rectangles rectangles(3);
  for (const int sampling : {1, 2}) {
    for (const auto& [width, height] : sizes) {
      const Encoded jpeg =
          encode_jpeg(pattern(width, height), {.sampling = sampling, .progressive = true});
      for (const int scans : {1, 2, 5}) {
        CAPTURE(sampling, width, height, scans);
        CHECK(differing(first_scans(jpeg, scans), 24, rectangles) == 0);
      }
    }
  }
}

TEST_CASE("any rectangle of a reduced JPEG equals the whole image's") {
  Rectangles rectangles(5);
  const std::pair<Raster, JpegStyle> files[] = {
      {pattern(437, 331), {.sampling = 1}},
      {pattern(437, 331), {.sampling = 2}},
      {pattern(437, 331), {.sampling = 2, .rows = 1}},
      {pattern(437, 331), {.sampling = 1, .rows = 2}},
      {pattern(437, 331), {.sampling = 2, .chroma_rows = 2}},
      {pattern(437, 331, 1), {.sampling = 1}},
      {pattern(437, 331, 1), {.sampling = 2}},
      {pattern(437, 331, 4), {}}};
  for (const auto& [image, sampling] : files) {
    for (const bool progressive : {false, true}) {
      JpegStyle style = sampling;
      style.progressive = progressive;
      const Encoded jpeg = encode_jpeg(image, style);
      const auto info = Decoder(DecoderOptions{}).probe(jpeg);
      REQUIRE(info);
      REQUIRE(jpeg_format.reduces(*info));
      for (const std::uint32_t reduce : {2u, 4u, 8u}) {
        const std::uint32_t width = (437 + reduce - 1) / reduce,
                            height = (331 + reduce - 1) / reduce;
        const auto whole = decode_part(jpeg, *info, {0, 0, width, height}, reduce);
        REQUIRE(whole);
        std::size_t differ = 0;
        for (int i = 0; i < 60; ++i) {
          const PixelRect r = rectangles.next(width, height);
          const auto pixels = decode_part(jpeg, *info, r, reduce);
          REQUIRE(pixels);
          if (*pixels == part(*whole, width, r)) continue;
          ++differ;
          UNSCOPED_INFO(r.width << "x" << r.height << " at " << r.x << "," << r.y);
        }
        CAPTURE(image.channels, style.sampling, style.rows, style.chroma_rows, progressive, reduce);
        CHECK(differ == 0);
      }
    }
  }
}

TEST_CASE("a rectangle far down is exact, reached in several steps") {
  for (const JpegStyle style : {JpegStyle{.sampling = 2},
                                {.sampling = 1},
                                {.sampling = 2, .rows = 1},
                                {.sampling = 1, .rows = 2},
                                {.sampling = 1, .rows = 3}}) {
    for (const std::uint32_t width : {800u, 803u}) {
      const Encoded jpeg = encode_jpeg(pattern(width, 6000), style);
      const Outcome whole = run_whole(jpeg);
      REQUIRE(whole);
      for (const std::uint32_t y : {1309u, 1310u, 2622u, 3931u, 5990u}) {
        for (const PixelRect r : {PixelRect{0, y, width, 9}, PixelRect{0, y, 701, 9}}) {
          const auto pixels = decode_part(jpeg, *whole.info, r);
          REQUIRE(pixels);
          CAPTURE(style.sampling, style.rows, width, y, r.width);
          CHECK(*pixels == part(whole.row, width, r));
        }
      }
    }
  }
}

TEST_CASE("rectangles of photographs and wild images are cut exactly") {
  const auto photos = weir::test::test_data("photos"), odd = weir::test::test_data("odd");
  if (!photos || !odd) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  Rectangles rectangles(4);
  std::size_t files = 0;
  for (const auto& folder : {*photos, *odd}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      const Encoded encoded = read_file(entry.path());
      if (encoded.size() < 2 || encoded[0] != std::byte{0xff} || encoded[1] != std::byte{0xd8})
        continue;
      if (!run_whole(encoded)) continue;
      CAPTURE(entry.path().string());
      CHECK(differing(encoded, 4, rectangles) == 0);
      ++files;
    }
  }
  CHECK(files > 250);
}

TEST_CASE("what a crop does not need may be damaged, but not missing") {
  const Encoded good = encode_jpeg(pattern(64, 256), {.restart_rows = 1});
  const DecoderOptions options{.fit = {.out = {32, 32}, .fit = Fit::center, .short_side = 64}};
  const Outcome expected = run(options, good);
  REQUIRE(expected);

  // An unexpected restart marker in the lower quarter of the scan. A decode of the whole image fails there.
  Encoded damaged = good;
  for (std::size_t i = good.size() * 9 / 10; i + 1 < good.size(); ++i) {
    if (damaged[i] != std::byte{0xff} || damaged[i + 1] == std::byte{0}) continue;
    damaged[i + 1] = std::byte{0xd0} | ((damaged[i + 1] ^ std::byte{4}) & std::byte{7});
    break;
  }
  CHECK_FALSE(run_whole(damaged));
  const Outcome cropped = run(options, damaged);
  REQUIRE(cropped);
  CHECK(cropped.row == expected.row);

  const auto cut = std::span(good).first(good.size() - 2);
  const Outcome strict = run(options, cut);
  REQUIRE_FALSE(strict);
  CHECK(strict.defect().kind == FaultKind::truncated);
  CHECK(strict.defect().offset == cut.size());
  DecoderOptions lenient = options;
  lenient.strict = false;
  const Outcome flagged = run(lenient, cut);
  REQUIRE(flagged);
  CHECK(flagged.decoded->status == RowStatus::damaged);
  CHECK(flagged.row == expected.row);
}

}  // namespace weir::codec::test
