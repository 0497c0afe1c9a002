#include <atomic>

#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// The whole image, whatever fit was asked for, in memory of its size to the byte.
Pixels whole(const Encoded& encoded, Shape shape, Exif exif = Exif::apply) {
  Decoder decoder({.fit = {.out = {8, 8, 3}, .fit = Fit::random},
                   .exif = exif,
                   .antialias = true,
                   .decode = Decode::fast,
                   .whole = true});
  const auto info = decoder.probe(encoded);
  REQUIRE(info);
  CHECK(decoder.out(*info) == shape);
  const Scratch row(shape.values()), scratch(decoder.need(*info, 1).scratch);
  const std::span<std::byte> memory = row;
  const std::span out(reinterpret_cast<std::uint8_t*>(memory.data()), memory.size());
  const std::atomic<bool> cancelled{false};
  REQUIRE(decoder.decode(encoded, *info, 1, scratch, cancelled, out));
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a whole image is every pixel, in each format") {
  const Raster image = pattern(61, 47);
  const Encoded jpeg = encode_jpeg(image);
  CHECK(whole(jpeg, {47, 61, 3}) == reference_jpeg(jpeg).values);
  const Encoded progressive = encode_jpeg(image, {.progressive = true});
  CHECK(whole(progressive, {47, 61, 3}) == reference_jpeg(progressive).values);
  for (const bool interlaced : {false, true})
    CHECK(whole(encode_png(61, 47, image.values, {.interlaced = interlaced}), {47, 61, 3}) ==
          image.values);
  CHECK(whole(encode_webp(image, std::nullopt), {47, 61, 3}) == image.values);
}

TEST_CASE("a whole image is upright, and its shape too") {
  const Encoded plain = encode_jpeg(pattern(61, 47));
  const Encoded turned = with_exif(plain, 6);  // to be turned clockwise
  const Pixels stored = whole(turned, {47, 61, 3}, Exif::ignore);
  const Pixels upright = whole(turned, {61, 47, 3});
  for (std::uint32_t y = 0; y < 47; ++y)
    for (std::uint32_t x = 0; x < 61; ++x)
      for (std::uint32_t c = 0; c < 3; ++c)
        REQUIRE(upright[(std::size_t{x} * 47 + (46 - y)) * 3 + c] ==
                stored[(std::size_t{y} * 61 + x) * 3 + c]);
}

}  // namespace weir::codec::test
