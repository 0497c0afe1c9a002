#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

#include "codec/resampler.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "support/vector_sets.hpp"

namespace weir::codec::test {
namespace {

Pixels by_opencv(const Raster& image, const Resize& resize) {
  const cv::Mat from(static_cast<int>(image.height), static_cast<int>(image.width), CV_8UC3,
                     const_cast<std::uint8_t*>(image.values.data()));
  cv::Mat to;
  cv::resize(from, to, {static_cast<int>(resize.out_width), static_cast<int>(resize.out_height)}, 0,
             0, cv::INTER_LINEAR);
  if (resize.mirror) cv::flip(to.clone(), to, 1);
  return {to.datastart, to.dataend};
}

Raster noise(std::uint32_t width, std::uint32_t height, std::mt19937& random) {
  Raster raster{width, height, 3, Pixels(std::size_t{width} * height * 3)};
  for (auto& value : raster.values)
    value = static_cast<std::uint8_t>(random() % 3 == 0 ? 255 * (random() & 1) : random());
  return raster;
}

}  // namespace

TEST_CASE("resampling is cv::resize's, bit for bit, whatever the sizes") {
  std::mt19937 random(5);
  const auto side = [&](std::uint32_t most) {
    return 1 + static_cast<std::uint32_t>(random() % most);
  };
  for (int i = 0; i < 300; ++i) {
    const bool large = i % 3 == 0;
    const Resize resize{side(large ? 900 : 60), side(large ? 300 : 60), side(large ? 300 : 70),
                        side(70), i % 2 == 1};
    CAPTURE(resize.in_width, resize.in_height, resize.out_width, resize.out_height, resize.mirror);
    const Raster image = noise(resize.in_width, resize.in_height, random);
    const Pixels expected = by_opencv(image, resize);
    CHECK(resampled(image, resize, 0) == expected);
    CHECK(resampled(image, resize, 255) == expected);
  }
}

TEST_CASE("common sizes are resampled exactly as cv::resize does") {
  std::mt19937 random(6);
  for (const auto& [width, height] :
       {std::pair{333u, 333u}, {437u, 328u}, {448u, 448u}, {112u, 112u}, {224u, 300u}}) {
    const Resize resize{width, height, 224, 224};
    const Raster image = noise(width, height, random);
    CAPTURE(width, height);
    CHECK(resampled(image, resize, 7) == by_opencv(image, resize));
  }
}

// The bytes that a sample needs are measured with the whole image.
TEST_CASE("a smaller part of an image needs no more memory") {
  for (const auto format : {PixelFormat::rgb8, PixelFormat::grey8, PixelFormat::rgb16})
    for (const std::uint32_t out : {20u, 56u, 224u}) {
      Resize resize{.in_width = 4000, .in_height = 3000, .out_width = out, .out_height = out};
      resize.format = format;
      const auto whole = Resampler::memory_bytes(resize);
      for (const double width : {0.5, 20.0, 60.0, 230.0, 900.0}) {
        resize.part = {7, 9, width, width};
        CHECK(Resampler::memory_bytes(resize) <= whole);
      }
    }
}

TEST_CASE("the plain kernel equals its formula") {
  std::mt19937 random(8);
  for (const std::uint32_t count : {1u, 2u, 7u, 224u}) {
    std::vector<std::uint32_t> offsets(count);
    std::vector<std::int16_t> weights(2 * count), out(count * 3 + overrun);
    Pixels line(999 + overrun);
    for (auto& value : line) value = static_cast<std::uint8_t>(random());
    for (std::uint32_t i = 0; i < count; ++i) {
      offsets[i] = static_cast<std::uint32_t>(random() % 332) * 3;
      weights[2 * i] = static_cast<std::int16_t>(random() % 2049);
      weights[2 * i + 1] = static_cast<std::int16_t>(2048 - weights[2 * i]);
    }
    for (const auto target : weir::test::vector_sets()) {
      CAPTURE(hwy::TargetName(target), count);
      const weir::test::OnlyTarget only(target);
      vector_kernels().resample_line[3]({.count = count,
                                         .offsets = offsets.data(),
                                         .weights = reinterpret_cast<std::byte*>(weights.data())},
                                        line.data(), out.data());
      std::size_t wrong = 0;
      for (std::uint32_t i = 0; i < count * 3; ++i) {
        const std::uint32_t at = offsets[i / 3] + i % 3;
        wrong +=
            out[i] != (line[at] * weights[i / 3 * 2] + line[at + 3] * weights[i / 3 * 2 + 1]) / 16;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("kernels of this machine give what the plain ones give") {
  std::mt19937 random(7);
  for (const std::size_t values : {1u, 3u, 15u, 32u, 33u, 672u}) {
    std::vector<std::int16_t> a(values), b(values);
    for (auto* row : {&a, &b}) {
      for (auto& value : *row) value = static_cast<std::int16_t>(random() % (255 * 128 + 1));
    }
    const auto weight = static_cast<std::int16_t>(random() % 2049);
    const auto rest = static_cast<std::int16_t>(2048 - weight);
    Pixels plain(values);
    for (std::size_t i = 0; i < values; ++i)
      plain[i] = static_cast<std::uint8_t>(((a[i] * weight >> 16) + (b[i] * rest >> 16) + 2) >> 2);
    for (const auto target : weir::test::vector_sets()) {
      CAPTURE(hwy::TargetName(target), values);
      const weir::test::OnlyTarget only(target);
      Pixels out(values, 1);
      vector_kernels().blend_rows(a.data(), b.data(), weight, rest, out.data(), values);
      CHECK(out == plain);
    }
  }
}

}  // namespace weir::codec::test
