#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {

TEST_CASE("WebP pixels are libwebp's own, alpha is dropped", "[I12]") {
  for (const std::uint32_t channels : {3u, 4u}) {
    for (const auto quality : {std::optional<float>(80.f), std::optional<float>()}) {
      const Encoded webp = encode_webp(pattern(67, 45, channels), quality);
      const Outcome outcome = run_whole(webp);
      REQUIRE(outcome);
      CHECK(outcome.row == reference_webp(webp).values);
    }
  }
}

TEST_CASE("cropping inside libwebp gives the pixels of a full decode") {
  for (const auto quality : {std::optional<float>(80.f), std::optional<float>()}) {
    const Encoded webp = encode_webp(pattern(97, 75), quality);
    const Raster whole = reference_webp(webp);
    // Short side of 75 at scale 1: the window is copied, not resampled, at odd coordinates too.
    for (const std::uint32_t side : {31u, 32u, 40u, 74u}) {
      const DecoderOptions options{
          .fit = {.out = {side, side, 3}, .fit = Fit::center, .short_side = 75}};
      const Outcome outcome = run(options, webp);
      REQUIRE(outcome);
      const Rect source = window(97, 75, options.fit, 0).source;
      bool equal = true;
      for (std::uint32_t i = 0; i < side * side * 3; ++i) {
        const std::uint32_t x = i / 3 % side, y = i / 3 / side;
        equal = equal && outcome.row[i] == whole.at(source.x + x, source.y + y, i % 3);
      }
      CAPTURE(side, quality.has_value());
      CHECK(equal);
    }
  }
}

TEST_CASE("a WebP that is decoded in pieces has the pixels of one decoded at once", "[R8]") {
  for (const auto quality : {std::optional<float>(70.f), std::optional<float>()}) {
    const Raster image = quality ? pattern(1300, 900) : pattern(1100, 500);
    const Encoded webp = encode_webp(image, quality);
    const Raster whole = reference_webp(webp);
    const Outcome outcome = run_whole(webp);
    REQUIRE(outcome);
    CHECK(outcome.row == whole.values);
    const DecoderOptions options{
        .fit = {.out = {301, 301, 3}, .fit = Fit::center, .short_side = image.height}};
    const Outcome cropped = run(options, webp);
    REQUIRE(cropped);
    const Rect source = window(image.width, image.height, options.fit, 0).source;
    bool equal = true;
    for (std::uint32_t i = 0; i < 301 * 301 * 3; ++i) {
      const std::uint32_t x = i / 3 % 301, y = i / 3 / 301;
      equal = equal && cropped.row[i] == whole.at(source.x + x, source.y + y, i % 3);
    }
    CHECK(equal);
  }
}

TEST_CASE("a WebP cut behind its first pieces: refused, or delivered as far as it goes", "[R8]") {
  for (const auto quality : {std::optional<float>(70.f), std::optional<float>()}) {
    const Raster image = quality ? pattern(1300, 900) : pattern(1100, 500);
    const Encoded webp = encode_webp(image, quality);
    const auto cut = std::span(webp).first(webp.size() * 4 / 5);
    CHECK_FALSE(run_whole(cut));
    const Outcome lenient = run_whole(cut, false);
    REQUIRE(lenient);
    CHECK(lenient.decoded->status == RowStatus::damaged);
    const Raster whole = reference_webp(webp);
    // The first quarter is there whatever the last fifth of the bytes was about.
    CHECK(std::equal(whole.values.begin(),
                     whole.values.begin() + static_cast<std::ptrdiff_t>(whole.values.size() / 4),
                     lenient.row.begin()));
    CHECK(lenient.row.back() == 128);
  }
}

}  // namespace weir::codec::test
