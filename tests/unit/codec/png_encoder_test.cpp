#include "codec/png_encoder.hpp"

#include <random>

#include "support.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

namespace weir::codec::test {
namespace {

constexpr PixelFormat all_formats[] = {
    PixelFormat::rgb8,   PixelFormat::bgr8,  PixelFormat::rgba8,   PixelFormat::grey8,
    PixelFormat::grey16, PixelFormat::rgb16, PixelFormat::stored8, PixelFormat::stored16};

/// Values that no filter and no compression can make smaller.
Pixels noise(std::size_t bytes) {
  std::minstd_rand random;
  Pixels pixels(bytes);
  for (auto& byte : pixels) byte = static_cast<std::uint8_t>(random() >> 8);
  return pixels;
}

/// A view with a gap behind each line.
ImageView view_of(const Pixels& pixels, ImageSize size, PixelFormat format) {
  return {pixels.data(), size, pixels.size() / size.height, format};
}

Pixels without_gaps(const ImageView& image) {
  Pixels pixels;
  for (std::uint32_t y = 0; y < image.shape.height; ++y) {
    const auto* const line = image.data + y * image.row_stride;
    pixels.insert(pixels.end(), line, line + image.line_bytes());
  }
  return pixels;
}

}  // namespace

TEST_CASE("a PNG of each format is read back to the bit") {
  for (const auto format : all_formats)
    for (const ImageSize size : {ImageSize{1, 1}, {5, 7}, {90, 120}, {3, 5000}}) {
      CAPTURE(to_string(format), size.height, size.width);
      const auto pixels = noise(size.height * (std::size_t{size.width} * pixel_bytes(format) + 6));
      const auto image = view_of(pixels, size, format);
      const Scratch memory(most_png_bytes(format, size));
      const auto png = codec::encode_png(image, memory);
      REQUIRE(png);
      CHECK(png->size() > image.bytes());  // noise tests the bound
      const auto read = run({.fit = own_size, .pixels = format}, *png);
      REQUIRE(read);
      CHECK(read.info->width == size.width);
      CHECK(read.info->bit_depth == 8 * value_bytes(format));
      CHECK(read.info->channels == channels_of(format));
      CHECK(read.row == without_gaps(image));
    }
}

TEST_CASE("a PNG that is stopped or has no room is no PNG") {
  const auto pixels = noise(40 * 40);
  const auto image = view_of(pixels, {40, 40}, PixelFormat::grey8);
  const Scratch memory(most_png_bytes(image.format, image.shape));
  const std::atomic<bool> stopping{true}, going{false};
  CHECK(codec::encode_png(image, memory, &going));
  CHECK(codec::encode_png(image, memory, &stopping).defect().reason == "cancelled");
  const auto cut = codec::encode_png(image, std::span<std::byte>(memory).first(900));
  REQUIRE_FALSE(cut);
  CHECK(cut.defect().kind == FaultKind::memory);
  CHECK(weir::test::contains(cut.defect().reason, "larger than its memory"));
}

TEST_CASE("regions of one index become a small PNG") {
  Pixels pixels(300 * 400);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i / 400 / 50 * 8 + i % 400 / 50);
  const auto image = view_of(pixels, {300, 400}, PixelFormat::stored8);
  const Scratch memory(most_png_bytes(image.format, image.shape));
  CHECK(codec::encode_png(image, memory)->size() < pixels.size() / 50);
}

TEST_CASE("the bound of a PNG saturates") {
  CHECK(most_png_bytes(PixelFormat::rgb16, {UINT32_MAX, UINT32_MAX}) == UINT64_MAX);
  CHECK(png_encoder_bytes(PixelFormat::rgb16, UINT32_MAX) < UINT64_MAX / 2);
}

}  // namespace weir::codec::test
