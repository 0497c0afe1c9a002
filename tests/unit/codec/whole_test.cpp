#include <atomic>

#include "encoders.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// The whole image, independent of the fit, in memory of exactly its size.
Pixels whole(const Encoded& encoded, ImageSize shape, Exif exif = Exif::apply) {
  Decoder decoder({.fit = {.out = {8, 8}, .fit = Fit::random},
                   .exif = exif,
                   .filter = Filter::antialiased,
                   .decode = Decode::fast});
  const auto info = decoder.probe(encoded);
  REQUIRE(info);
  const auto plan = plan_whole(*info, decoder.options());
  CHECK(plan.out() == shape);
  const Scratch row(image_bytes(shape, PixelFormat::rgb8)), scratch(plan.memory.scratch);
  const std::span<std::byte> memory = row;
  const std::span out(reinterpret_cast<std::uint8_t*>(memory.data()), memory.size());
  const std::atomic<bool> cancelled{false};
  REQUIRE(decoder.decode(encoded, plan, scratch, cancelled, out));
  return {out.begin(), out.end()};
}

}  // namespace

TEST_CASE("a whole image is every pixel, in each format") {
  const Raster image = pattern(61, 47);
  const Encoded jpeg = encode_jpeg(image);
  CHECK(whole(jpeg, {47, 61}) == reference_jpeg(jpeg).values);
  const Encoded progressive = encode_jpeg(image, {.progressive = true});
  CHECK(whole(progressive, {47, 61}) == reference_jpeg(progressive).values);
  for (const bool interlaced : {false, true})
    CHECK(whole(encode_png(61, 47, image.values, {.interlaced = interlaced}), {47, 61}) ==
          image.values);
  CHECK(whole(encode_webp(image, std::nullopt), {47, 61}) == image.values);
}

TEST_CASE("a whole image is upright, and its shape too") {
  const Encoded plain = encode_jpeg(pattern(61, 47));
  const Encoded turned = with_exif(plain, 6);  // to be rotated clockwise
  const Pixels stored = whole(turned, {47, 61}, Exif::ignore);
  const Pixels upright = whole(turned, {61, 47});
  for (std::uint32_t y = 0; y < 47; ++y)
    for (std::uint32_t x = 0; x < 61; ++x)
      for (std::uint32_t c = 0; c < 3; ++c)
        REQUIRE(upright[(std::size_t{x} * 47 + (46 - y)) * 3 + c] ==
                stored[(std::size_t{y} * 61 + x) * 3 + c]);
}

TEST_CASE("an image of its own size lies in the upper left of its row", "[sizes]") {
  const Raster image = pattern(61, 47);
  const std::vector<Encoded> files{encode_jpeg(image),
                                   encode_jpeg(image, {.progressive = true}),
                                   encode_png(61, 47, image.values, {}),
                                   encode_png(61, 47, image.values, {.interlaced = true}),
                                   encode_webp(image, std::nullopt),
                                   with_exif(encode_jpeg(image), 6)};
  constexpr ImageSize out{70, 80};
  for (const auto& file : files) {
    Decoder decoder({});
    const auto info = decoder.probe(file);
    REQUIRE(info);
    const auto own = decoder.upright(*info);
    const auto wanted = whole(file, own);
    CHECK((own == ImageSize{47, 61} || &file == &files.back()));
    // The draw and the row's earlier contents must have no effect. Then the exact size, as in a ragged batch.
    for (const auto& shape : {out, own}) {
      const auto plan =
          plan_row(decoder, *info, {.out = shape, .into = {0, 0, own.width, own.height}}, 5);
      const Scratch row(image_bytes(shape, PixelFormat::rgb8)), scratch(plan.memory.scratch);
      const std::span<std::byte> memory = row;
      const std::span pixels(reinterpret_cast<std::uint8_t*>(memory.data()), memory.size());
      std::ranges::fill(pixels, std::uint8_t{0xa5});
      const std::atomic<bool> cancelled{false};
      REQUIRE(decoder.decode(file, plan, scratch, cancelled, pixels));
      for (std::uint32_t y = 0; y < shape.height; ++y)
        for (std::uint32_t x = 0; x < shape.width * 3; ++x) {
          const bool inside = y < own.height && x < own.width * 3;
          REQUIRE(pixels[y * shape.width * 3 + x] == (inside ? wanted[y * own.width * 3 + x] : 0));
        }
    }
  }
}

TEST_CASE("a whole image is resized if its place in the row is smaller", "[sizes]") {
  const Encoded file = encode_jpeg(pattern(61, 47));
  constexpr ImageSize out{30, 50};
  const std::atomic<bool> cancelled{false};
  Decoder stretch({.fit = {.out = {20, 26}, .fit = Fit::stretch}}), decoder({});
  const auto info = decoder.probe(file);
  REQUIRE(info);
  const Scratch small(20 * 26 * 3), row(image_bytes(out, PixelFormat::rgb8)), scratch(1 << 20);
  const auto pixels = [](const Scratch& of) {
    const std::span<std::byte> memory = of;
    return std::span(reinterpret_cast<std::uint8_t*>(memory.data()), memory.size());
  };
  REQUIRE(stretch.decode(file, plan_row(stretch, *info, 1), scratch, cancelled, pixels(small)));
  REQUIRE(decoder.decode(file, plan_row(decoder, *info, {.out = out, .into = {0, 0, 26, 20}}, 1),
                         scratch, cancelled, pixels(row)));
  for (std::uint32_t y = 0; y < 20; ++y)
    REQUIRE(std::ranges::equal(pixels(small).subspan(y * 26 * 3, 26 * 3),
                               pixels(row).subspan(y * 50 * 3, 26 * 3)));
}

}  // namespace weir::codec::test
