#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/convert/exact.hpp"

namespace {

using namespace weir;
using namespace weir::test;

/// Values from the whole range of the format, in another order in each channel.
std::vector<std::uint8_t> all_values(ImageSize size, PixelFormat format) {
  std::vector<std::uint8_t> pixels(image_bytes(size, format));
  for (std::size_t i = 0; i < image_values(size, format); ++i) {
    const auto channel = i % channels_of(format), pixel = i / channels_of(format);
    const auto value = static_cast<std::uint16_t>(pixel * (2 * channel + 40503) + channel);
    std::memcpy(pixels.data() + i * value_bytes(format), &value, value_bytes(format));
  }
  return pixels;
}

int value_at(const std::uint8_t* pixels, PixelFormat format, std::size_t i) {
  if (value_bytes(format) == 1) return pixels[i];
  std::uint16_t value = 0;
  std::memcpy(&value, pixels + 2 * i, sizeof(value));
  return value;
}

/// The colour of a channel, as the names of the formats have it; 3 is alpha.
std::size_t colour(PixelFormat format, std::size_t channel) {
  return format == PixelFormat::bgr8 ? std::array<std::size_t, 3>{2, 1, 0}[channel] : channel;
}

struct Images {
  PixelFormat format;
  std::uint32_t count;
  ImageSize size;
  std::vector<std::uint8_t> pixels;
};

template <class T>
void check_values(const Images& images, const Normalize& normalize, Layout layout) {
  const auto [format, count, size, pixels] = images;
  std::vector<T> out(count * image_values(size, format));
  Converter<T>(normalize, layout)({pixels, count, size, format}, out);
  const std::size_t channels = channels_of(format), area = std::size_t{size.height} * size.width;
  constexpr auto bits = format_of<T>();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto image = i / (channels * area), pixel = i / channels % area, channel = i % channels;
    const auto at = layout == Layout::nhwc ? i : (image * channels + channel) * area + pixel;
    const auto wanted = exact(value_at(pixels.data(), format, i), normalize,
                              colour(format, channel), value_bytes(format) == 2 ? 257 : 1);
    const auto given = value_of(out[at]);
    const bool right = std::abs(wanted) >= overflow_bound(bits)
                           ? given == std::copysign(HUGE_VALL, wanted)
                           : std::abs(given - wanted) <= 0.5001L * ulp(wanted, bits);
    wrong += right ? 0 : 1;
  }
  CAPTURE(to_string(format), layout);
  CHECK(wrong == 0);
}

constexpr PixelFormat formats[] = {PixelFormat::rgb8,  PixelFormat::bgr8,   PixelFormat::rgba8,
                                   PixelFormat::grey8, PixelFormat::grey16, PixelFormat::rgb16};

}  // namespace

TEMPLATE_TEST_CASE("each format is converted within one ulp of the exact value", "[convert]", float,
                   float16, bfloat16) {
  const Normalize of_colours[] = {
      imagenet, {{128, 85, 3}, {2, -3, 1e-5}, 1}, {{0.5, 0.4, 0.1}, {1e38, 1e-30, 1e4}}};
  const Normalize of_grey[] = {{}, {{128, 128, 128}, {3, 3, 3}, 1}, {.stddev = {7e4, 7e4, 7e4}}};
  for (const auto format : formats) {
    // Every value of 8 bits, half of those of 16 bits.
    const std::uint32_t height = value_bytes(format) == 2 ? 128 : 1;
    Images many{format, 1, {height, 256}, all_values({height, 256}, format)};
    Images two{format, 2, {3, 7}, all_values({6, 7}, format)};
    for (const auto& normalize : channels_of(format) == 1 ? of_grey : of_colours) {
      check_values<TestType>(many, normalize, Layout::nhwc);
      check_values<TestType>(two, normalize, Layout::nchw);
    }
  }
}

TEST_CASE("ImageNet's figures are by colour in bgr8, to the bit", "[convert]") {
  constexpr ImageSize size{33, 31};
  const auto rgb = all_values(size, PixelFormat::rgb8);
  auto bgr = rgb;
  for (std::size_t i = 0; i < bgr.size(); i += 3) std::swap(bgr[i], bgr[i + 2]);
  const Converter<float> convert(imagenet);
  std::vector<float> of_rgb(rgb.size()), of_bgr(rgb.size());
  convert({rgb, 1, size}, of_rgb);
  convert({bgr, 1, size, PixelFormat::bgr8}, of_bgr);
  const std::size_t area = std::size_t{size.height} * size.width, bytes = area * sizeof(float);
  for (const std::size_t c : {0u, 1u, 2u})
    CHECK(std::memcmp(&of_rgb[c * area], &of_bgr[(2 - c) * area], bytes) == 0);
}

TEST_CASE("each format is converted with gaps and from any address", "[convert][sizes]") {
  constexpr ImageSize size{7, 67};
  constexpr Normalize figures{.mean = {0.3, 0.3, 0.3}, .stddev = {0.2, 0.2, 0.2}};
  for (const auto format : formats) {
    CAPTURE(to_string(format));
    const auto pixels = all_values(size, format);
    const auto line = pixels.size() / size.height, stride = line + 5;
    std::vector<std::uint8_t> apart(1 + stride * size.height, 99);
    for (std::size_t y = 0; y < size.height; ++y)
      std::memcpy(apart.data() + 1 + y * stride, pixels.data() + y * line, line);
    for (const auto layout : {Layout::nchw, Layout::nhwc}) {
      const Converter<float> convert(figures, layout);
      std::vector<float> wanted(image_values(size, format)), given(wanted.size());
      convert({pixels, 1, size, format}, wanted);
      convert(ImageView{apart.data() + 1, size, stride, format}, given);
      CHECK(given == wanted);
    }
  }
}

TEST_CASE("the lines of the channels give a Converter's values", "[convert]") {
  for (const auto format : formats) {
    const Normalize normalize =
        channels_of(format) == 1 ? Normalize{.mean = {0.4, 0.4, 0.4}} : imagenet;
    const auto lines = channel_lines(normalize, format);
    const auto pixels = all_values({16, 16}, format);
    std::vector<float> out(image_values({16, 16}, format));
    Converter<float>(normalize, Layout::nhwc)({pixels, 1, {16, 16}, format}, out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto& line = lines[i % channels_of(format)];
      const double value = value_at(pixels.data(), format, i);
      REQUIRE(value * line.slope + line.offset == Approx(out[i]).margin(1e-6));
    }
  }
}

TEST_CASE("values of a plane are widened, through a table if given", "[convert]") {
  const std::vector<std::uint8_t> mask{0, 1, 2, 255, 1, 0};
  const PixelBlock block{mask, 2, {1, 3}, PixelFormat::stored8};
  std::vector<std::int64_t> longs(6);
  std::vector<std::int32_t> ints(6);
  widen(block, longs);
  widen(block, ints);
  CHECK(longs == std::vector<std::int64_t>{0, 1, 2, 255, 1, 0});
  CHECK(ints == std::vector<std::int32_t>{0, 1, 2, 255, 1, 0});

  std::vector<std::int64_t> table(256, 7);
  table[0] = 0;
  table[255] = -100;
  widen(block, longs, table);
  CHECK(longs == std::vector<std::int64_t>{0, 7, 7, -100, 7, 0});
  CHECK_THROWS_WITH(widen(block, longs, std::span(table).first(255)),
                    has_text("a pixel has the value 255, but the table has 255 entries"));

  // Every second value of a line of 16 bits, from an odd address.
  const std::uint16_t depths[] = {0, 65535, 300, 1, 40000, 2, 9, 9};
  std::vector<std::uint8_t> bytes(1 + sizeof(depths));
  std::memcpy(bytes.data() + 1, depths, sizeof(depths));
  const ImageView image{bytes.data() + 1, {2, 3}, 8, PixelFormat::stored16};
  widen(image, ints);
  CHECK(ints == std::vector<std::int32_t>{0, 65535, 300, 40000, 2, 9});
  widen(image, longs);
  CHECK(longs == std::vector<std::int64_t>{0, 65535, 300, 40000, 2, 9});
}

TEST_CASE("widening to an output of the wrong size is refused", "[convert]") {
  const std::vector<std::uint8_t> mask(6);
  std::vector<std::int64_t> out(5);
  CHECK_THROWS_WITH(widen(PixelBlock{mask, 1, {2, 3}, PixelFormat::stored8}, out),
                    has_text("out.size() is 5, must be 6"));
  CHECK_THROWS_WITH(widen(PixelBlock{mask, 1, {2, 2}, PixelFormat::stored8}, out),
                    has_text("pixels.size() is 6, must be 4"));
  CHECK_THROWS_WITH(widen(ImageView{mask.data(), {3, 2}, 2, PixelFormat::stored8}, out),
                    has_text("out.size() is 5, must be 6"));
}
