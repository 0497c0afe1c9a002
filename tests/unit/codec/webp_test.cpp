#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {

TEST_CASE("WebP pixels are libwebp's own; alpha is dropped", "[I12]") {
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

}  // namespace weir::codec::test
