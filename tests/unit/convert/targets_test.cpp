#include <cstring>
#include <string>
#include <vector>

#include "convert/lines.hpp"
#include "support/catch.hpp"
#include "support/vector_sets.hpp"
#include "weir/convert.hpp"

using namespace weir;
using weir::test::OnlyTarget;
using weir::test::vector_sets;

namespace {

std::vector<std::uint8_t> noise(std::size_t bytes) {
  std::vector<std::uint8_t> pixels(bytes);
  std::uint32_t state = 7;
  for (auto& pixel : pixels)
    pixel = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return pixels;
}

template <class T>
std::vector<T> looked_up(const std::vector<std::uint8_t>& pixels, Layout layout, ImageSize shape) {
  // One image with every pixel value gives the result for each value.
  std::vector<std::uint8_t> all(3 * 256);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i / 3);
  std::vector<T> table(all.size());
  Converter<T>(imagenet, Layout::nhwc)({all, 1, {16, 16}}, table);
  const auto area = std::size_t{shape.height} * shape.width;
  std::vector<T> out(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const auto value = table[std::size_t{pixels[i]} * 3 + i % 3];
    out[layout == Layout::nhwc ? i : i / (3 * area) * 3 * area + i % 3 * area + i / 3 % area] =
        value;
  }
  return out;
}

}  // namespace

TEMPLATE_TEST_CASE("every vector set of the machine gives the same bits", "[convert]", float,
                   float16, bfloat16) {
  REQUIRE_FALSE(vector_sets().empty());
  for (const auto target : vector_sets()) {
    CAPTURE(hwy::TargetName(target));
    const OnlyTarget only(target);
    for (const auto layout : {Layout::nchw, Layout::nhwc}) {
      const Converter<TestType> converter(imagenet, layout);
      for (const ImageSize shape : {ImageSize{1, 1}, ImageSize{3, 7}, ImageSize{1, 64},
                                    ImageSize{17, 31}, ImageSize{224, 224}}) {
        const std::uint32_t count = shape.height == 224 ? 40 : 2;  // enough for streamed stores
        CAPTURE(shape.height, shape.width);
        const auto pixels = noise(count * image_values(shape, PixelFormat::rgb8));
        const auto wanted = looked_up<TestType>(pixels, layout, shape);
        for (const std::size_t misaligned : {0u, 1u, 5u}) {
          std::vector<TestType> out(pixels.size() + misaligned);
          const auto view = std::span(out).subspan(misaligned);
          converter({pixels, count, shape}, view);
          CHECK(std::memcmp(view.data(), wanted.data(), view.size_bytes()) == 0);
        }
      }
    }
  }
}

TEST_CASE("arithmetic gives the tables' bits on every vector set", "[convert]") {
  // ImageNet's conversion of every pixel value, computed and rounded once in double.
  for (const auto target : vector_sets()) {
    CAPTURE(hwy::TargetName(target));
    const OnlyTarget only(target);
    std::vector<std::uint8_t> pixels(3 * 256);
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i / 3);
    convert::Lines lines;
    for (std::size_t c = 0; c < 3; ++c)
      lines[c] = convert::split_line(imagenet.scale / imagenet.stddev[c],
                                     -imagenet.mean[c] / imagenet.stddev[c]);
    std::vector<float> out(pixels.size());
    std::get<convert::Kernels<float>>(convert::kernels())
        .planar(pixels.data(), 256, lines, out.data(), 256, convert::Stores::cached);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t p = 0; p < 256; ++p) {
        const auto exact =
            (static_cast<double>(p) * imagenet.scale - imagenet.mean[c]) / imagenet.stddev[c];
        CHECK(out[256 * c + p] == static_cast<float>(exact));
      }
  }
}
