#include <algorithm>
#include <cmath>
#include <random>

#include "codec/resampler.hpp"
#include "encoders.hpp"
#include "support/catch.hpp"
#include "support/vector_sets.hpp"

namespace weir::codec::test {
namespace {

/// The definition, in double precision and along one axis at a time. The filter is a triangle of
/// height 1 over the source. Its half width is the larger of a source step and an output step. Its
/// values at the pixel centres, divided by their sum, are the weights.
std::vector<double> reference_axis(const std::vector<double>& in, std::uint32_t out, double from,
                                   double span) {
  const double step = span / out, reach = std::max(step, 1.0);
  std::vector<double> result;
  for (std::uint32_t i = 0; i < out; ++i) {
    double sum = 0, weights = 0;
    for (std::size_t x = 0; x < in.size(); ++x) {
      const double weight =
          std::max(0.0, 1 - std::abs(double(x) + 0.5 - from - (i + 0.5) * step) / reach);
      sum += weight * in[x];
      weights += weight;
    }
    result.push_back(sum / weights);
  }
  return result;
}

/// `part` of the image. Pixels around it count if the triangle extends over its edge.
std::vector<double> reference(const Raster& image, const PixelRect& part, std::uint32_t width,
                              std::uint32_t height) {
  std::vector<double> result(std::size_t{width} * height * 3),
      wide(std::size_t{width} * image.height);
  for (std::uint32_t c = 0; c < 3; ++c) {
    for (std::uint32_t y = 0; y < image.height; ++y) {
      std::vector<double> line;
      for (std::uint32_t x = 0; x < image.width; ++x) line.push_back(image.at(x, y, c));
      std::ranges::copy(reference_axis(line, width, part.x, part.width),
                        wide.begin() + std::ptrdiff_t{y} * width);
    }
    for (std::uint32_t x = 0; x < width; ++x) {
      std::vector<double> column;
      for (std::uint32_t y = 0; y < image.height; ++y)
        column.push_back(wide[std::size_t{y} * width + x]);
      const auto values = reference_axis(column, height, part.y, part.height);
      for (std::uint32_t y = 0; y < height; ++y)
        result[(std::size_t{y} * width + x) * 3 + c] = values[y];
    }
  }
  return result;
}

PixelRect all_of(const Raster& image) { return {0, 0, image.width, image.height}; }

double largest_difference(const Pixels& pixels, const std::vector<double>& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i)
    largest = std::max(largest, std::abs(pixels[i] - expected[i]));
  return largest;
}

Raster noise(std::uint32_t width, std::uint32_t height, std::mt19937& random) {
  Raster raster{width, height, 3, Pixels(std::size_t{width} * height * 3)};
  for (auto& value : raster.values) value = random() % 2 == 0 ? std::uint8_t{0} : std::uint8_t{255};
  return raster;
}

}  // namespace

TEST_CASE("antialiased resampling matches its definition for all sizes") {
  std::mt19937 random(9);
  const auto side = [&](std::uint32_t most) {
    return 1 + static_cast<std::uint32_t>(random() % most);
  };
  for (int i = 0; i < 120; ++i) {
    Resize resize{side(i % 4 == 0 ? 400 : 40), side(i % 3 == 0 ? 150 : 30), side(50), side(30)};
    resize.filter = Filter::antialiased;
    CAPTURE(resize.in_width, resize.in_height, resize.out_width, resize.out_height);
    const Raster image = noise(resize.in_width, resize.in_height, random);
    const Pixels out = resampled(image, resize, 0xa5);
    CHECK(largest_difference(
              out, reference(image, all_of(image), resize.out_width, resize.out_height)) < 0.6);
    for (const auto target : weir::test::vector_sets()) {
      CAPTURE(hwy::TargetName(target));
      const weir::test::OnlyTarget only(target);
      CHECK(out == resampled(image, resize, 0x5a));
    }
  }
}

TEST_CASE("a flat image stays what it is when it is made smaller") {
  for (const std::uint8_t value : Pixels{0, 1, 127, 254, 255}) {
    const Raster image{301, 97, 3, Pixels(301 * 97 * 3, value)};
    const Resize resize{.in_width = 301,
                        .in_height = 97,
                        .out_width = 37,
                        .out_height = 13,
                        .filter = Filter::antialiased};
    CHECK(resampled(image, resize, 0xa5) == Pixels(37 * 13 * 3, value));
  }
}

TEST_CASE("thousands of pixels that become one have equal parts in it") {
  for (const std::uint32_t width : {6000u, 20000u, 60000u}) {
    Raster white{width, 2, 3, Pixels(width * 6, 255)};
    auto half = white;
    for (std::size_t i = 0; i < half.values.size(); ++i)
      if (i / 3 % width < width / 2) half.values[i] = 0;
    for (const auto at : {0u, 3 * (width - 1), 3 * width}) white.values[at] = 0;
    const Resize resize{.in_width = width,
                        .in_height = 2,
                        .out_width = 1,
                        .out_height = 1,
                        .filter = Filter::antialiased};
    CAPTURE(width);
    for (const auto value : resampled(white, resize, 0xa5)) CHECK(int(value) >= 254);
    for (const auto value : resampled(half, resize, 0xa5)) CHECK(std::abs(value - 127) <= 2);
  }
}

TEST_CASE("the antialiased filter resizes mirrored and turned windows") {
  const Raster image = pattern(160, 120);
  const Encoded png = encode_png(160, 120, image.values, {});
  for (std::uint64_t draw = 0; draw < 6; ++draw) {
    const DecoderOptions options{.fit = {.out = {20, 28}, .fit = Fit::random},
                                 .filter = Filter::antialiased};
    const Window view = choose_window({120, 160}, options.fit, draw);
    auto expected = reference(image, pixels_of(view.source), 28, 20);
    if (view.flip.horizontal) {
      for (std::size_t y = 0; y < 20; ++y) {
        for (std::size_t x = 0; x < 14; ++x)
          std::swap_ranges(&expected[(y * 28 + x) * 3], &expected[(y * 28 + x) * 3] + 3,
                           &expected[(y * 28 + 27 - x) * 3]);
      }
    }
    const Outcome outcome = run(options, png, draw);
    REQUIRE(outcome);
    CHECK(largest_difference(outcome.row, expected) < 0.6);
  }

  const DecoderOptions upright{.fit = {.out = {30, 20}, .fit = Fit::stretch},
                               .filter = Filter::antialiased};
  const Encoded jpeg = encode_jpeg(image);
  const Outcome turned = run(upright, with_exif(jpeg, 6));
  REQUIRE(turned);
  const Raster stored = reference_jpeg(jpeg);
  Raster clockwise{120, 160, 3, Pixels(stored.values.size())};
  for (std::uint32_t i = 0; i < clockwise.values.size(); ++i) {
    const std::uint32_t x = i / 3 % 120, y = i / 3 / 120;
    clockwise.values[i] = stored.at(y, 119 - x, i % 3);
  }
  CHECK(largest_difference(turned.row, reference(clockwise, all_of(clockwise), 20, 30)) < 0.6);
}

}  // namespace weir::codec::test
