#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "weir/convert.hpp"

namespace {

using namespace weir;

// Scale 1: the output is the pixel plus 1000 times its channel.
constexpr Normalize tagged{{0, -1000, -2000}, {1, 1, 1}, 1};

std::vector<std::uint8_t> pixels_of(std::uint32_t count, ImageSize shape) {
  std::vector<std::uint8_t> pixels(count * image_values(shape, PixelFormat::rgb8));
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<std::uint8_t>(i * 31 % 251);
  return pixels;
}

}  // namespace

TEST_CASE("each value lands where its layout says", "[convert]") {
  for (const ImageSize shape :
       {ImageSize{1, 1}, ImageSize{2, 3}, ImageSize{7, 5}, ImageSize{16, 17}}) {
    for (const std::uint32_t count : {1U, 2U, 5U}) {
      const auto pixels = pixels_of(count, shape);
      std::vector<float> nchw(pixels.size()), nhwc(pixels.size());
      Converter<float>(tagged, Layout::nchw)({pixels, count, shape}, nchw);
      Converter<float>(tagged, Layout::nhwc)({pixels, count, shape}, nhwc);
      const std::size_t area = std::size_t{shape.height} * shape.width;
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const auto image = i / (area * 3), place = i / 3 % area, channel = i % 3;
        const auto wanted = static_cast<float>(pixels[i]) + 1000.0F * static_cast<float>(channel);
        CAPTURE(shape.height, shape.width, count, i);
        REQUIRE(nhwc[i] == wanted);
        REQUIRE(nchw[(image * 3 + channel) * area + place] == wanted);
      }
    }
  }
}

TEST_CASE("an image with gaps between its lines is converted correctly", "[convert][sizes]") {
  constexpr ImageSize shape{7, 5};
  constexpr std::size_t stride = 29;
  const auto pixels = pixels_of(1, shape);
  std::vector<std::uint8_t> apart(stride * shape.height, 99);
  for (std::size_t y = 0; y < shape.height; ++y)
    std::copy_n(pixels.begin() + static_cast<std::ptrdiff_t>(y * 15), 15,
                apart.begin() + static_cast<std::ptrdiff_t>(y * stride));
  for (const auto layout : {Layout::nchw, Layout::nhwc}) {
    const Converter<float> convert(imagenet, layout);
    std::vector<float> wanted(pixels.size()), given(pixels.size()), dense(pixels.size());
    convert(PixelBlock{pixels, 1, shape}, wanted);
    convert(ImageView{apart.data(), shape, stride}, given);
    convert(ImageView{pixels.data(), shape, 15}, dense);
    CHECK(given == wanted);
    CHECK(dense == wanted);
    CHECK_THROWS(convert(ImageView{apart.data(), shape, stride}, std::span(given).first(104)));
  }
}

TEST_CASE("micro-batches side by side equal the whole batch", "[convert]") {
  constexpr ImageSize shape{9, 11};
  const auto pixels = pixels_of(8, shape);
  const Converter<float> convert(imagenet);
  std::vector<float> whole(pixels.size()), parts(pixels.size());
  convert({pixels, 8, shape}, whole);
  const auto values = static_cast<std::size_t>(image_values(shape, PixelFormat::rgb8));
  for (const auto& [first, count] : {std::pair<std::size_t, std::uint32_t>{0, 3}, {3, 1}, {4, 4}}) {
    convert({std::span(pixels).subspan(first * values, count * values), count, shape},
            std::span(parts).subspan(first * values, count * values));
  }
  CHECK(parts == whole);
}

TEST_CASE("conversion writes its output and not a value more", "[convert]") {
  constexpr ImageSize shape{5, 7};
  const auto pixels = pixels_of(2, shape);
  for (const auto layout : {Layout::nchw, Layout::nhwc}) {
    std::vector<float> memory(pixels.size() + 16, -7.0F);
    Converter<float>({}, layout)({pixels, 2, shape}, std::span(memory).subspan(8, pixels.size()));
    const auto untouched = [](float value) { return value == -7.0F; };
    CHECK(std::all_of(memory.begin(), memory.begin() + 8, untouched));
    CHECK(std::all_of(memory.end() - 8, memory.end(), untouched));
    CHECK(std::none_of(memory.begin() + 8, memory.end() - 8, untouched));
  }
}

TEST_CASE("a block of no images converts to nothing", "[convert]") {
  std::vector<float> none;
  CHECK_NOTHROW(Converter<float>()({{}, 0, {224, 224}}, none));
}
