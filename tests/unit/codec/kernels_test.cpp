#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "codec/resampler.hpp"
#include "support.hpp"
#include "support/catch.hpp"
#include "support/vector_sets.hpp"

namespace weir::codec::test {
namespace {

constexpr std::array filters{Filter::bilinear, Filter::antialiased};

/// Where the values of one output pixel come from along one axis, in double precision.
std::vector<double> weights_of(std::uint32_t i, std::uint32_t in, std::uint32_t out,
                               Filter filter) {
  const double step = 1.0 * in / out, centre = (i + 0.5) * step;
  const double reach = filter == Filter::antialiased ? std::max(step, 1.0) : 1.0;
  std::vector<double> weights(in);
  double sum = 0;
  for (std::uint32_t x = 0; x < in; ++x)
    sum += weights[x] = std::max(0.0, 1 - std::abs(x + 0.5 - centre) / reach);
  for (auto& weight : weights) weight /= sum;
  return weights;
}

std::uint32_t value_at(const Pixels& pixels, PixelFormat format, std::size_t i) {
  std::uint16_t wide;
  if (value_bytes(format) == 1) return pixels[i];
  std::memcpy(&wide, &pixels[2 * i], sizeof wide);
  return wide;
}

/// The largest difference of a result from the exact value.
double largest_error(const Pixels& image, const Resize& r, const Pixels& result) {
  const std::size_t channels = channels_of(r.format);
  double largest = 0;
  for (std::uint32_t y = 0; y < r.out_height; ++y) {
    const auto down = weights_of(y, r.in_height, r.out_height, r.filter);
    for (std::uint32_t x = 0; x < r.out_width; ++x) {
      const auto across = weights_of(x, r.in_width, r.out_width, r.filter);
      for (std::size_t c = 0; c < channels; ++c) {
        double exact = 0;
        for (std::size_t v = 0; v < r.in_height; ++v)
          for (std::size_t u = 0; u < r.in_width; ++u)
            exact += down[v] * across[u] *
                     value_at(image, r.format, (v * r.in_width + u) * channels + c);
        const auto got =
            value_at(result, r.format, (std::size_t{y} * r.out_width + x) * channels + c);
        largest = std::max(largest, std::abs(got - exact));
      }
    }
  }
  return largest;
}

Pixels noise(std::size_t bytes, std::mt19937& random) {
  Pixels pixels(bytes);
  for (auto& value : pixels)
    value = static_cast<std::uint8_t>(random() % 3 == 0 ? 255 * (random() & 1) : random());
  return pixels;
}

Pixels mirrored(const Pixels& pixels, std::uint32_t width, std::size_t pixel) {
  Pixels result(pixels.size());
  for (std::size_t i = 0; i < pixels.size() / pixel; ++i)
    std::copy_n(&pixels[i * pixel], pixel,
                &result[(i / width * width + width - 1 - i % width) * pixel]);
  return result;
}

}  // namespace

TEST_CASE("16-bit results are within 1 of the exact value", "[kernels]") {
  std::mt19937 random(3);
  const auto side = [&](std::uint32_t most) {
    return 1 + static_cast<std::uint32_t>(random() % most);
  };
  for (const auto format : {PixelFormat::grey16, PixelFormat::rgb16}) {
    for (const auto filter : filters) {
      for (int i = 0; i < 25; ++i) {
        Resize resize{side(i % 5 == 0 ? 90 : 20), side(20), side(25), side(12)};
        resize.filter = filter;
        resize.format = format;
        CAPTURE(int(format), int(filter), resize.in_width, resize.in_height, resize.out_width,
                resize.out_height);
        const auto image =
            noise(std::size_t{resize.in_width} * resize.in_height * pixel_bytes(format), random);
        const auto out = resampled(image, resize, 0xa5);
        CHECK(largest_error(image, resize, out) < 0.51);
        resize.mirror = true;
        CHECK(resampled(image, resize, 0x5a) ==
              mirrored(out, resize.out_width, pixel_bytes(format)));
      }
      const Resize flat{.in_width = 61,
                        .in_height = 9,
                        .out_width = 7,
                        .out_height = 13,
                        .filter = filter,
                        .format = format};
      CHECK(resampled(Pixels(std::size_t{61} * 9 * pixel_bytes(format), 255), flat, 0) ==
            Pixels(std::size_t{7} * 13 * pixel_bytes(format), 255));
    }
  }
}

TEST_CASE("8-bit results do not depend on the number of channels", "[kernels]") {
  std::mt19937 random(4);
  const auto channel = [](const Pixels& pixels, std::size_t channels, std::size_t c) {
    Pixels one;
    for (std::size_t i = c; i < pixels.size(); i += channels) one.push_back(pixels[i]);
    return one;
  };
  for (int i = 0; i < 60; ++i) {
    Resize resize{1 + static_cast<std::uint32_t>(random() % 90), 9,
                  1 + static_cast<std::uint32_t>(random() % 60), 7};
    resize.mirror = i % 2 == 1;
    const std::size_t pixels = std::size_t{resize.in_width} * resize.in_height;
    const auto four = noise(4 * pixels, random);
    Pixels three;
    for (std::size_t k = 0; k < four.size(); ++k)
      if (k % 4 != 3) three.push_back(four[k]);
    for (const auto filter : filters) {
      resize.filter = filter;
      resize.format = PixelFormat::rgb8;
      const auto rgb = resampled(three, resize, 1);
      for (const auto target : weir::test::vector_sets()) {
        CAPTURE(hwy::TargetName(target), int(filter), resize.in_width, resize.out_width);
        const weir::test::OnlyTarget only(target);
        resize.format = PixelFormat::rgba8;
        const auto rgba = resampled(four, resize, 2);
        resize.format = PixelFormat::grey8;
        for (std::size_t c = 0; c < 3; ++c) CHECK(channel(rgba, 4, c) == channel(rgb, 3, c));
        CHECK(resampled(channel(four, 4, 3), resize, 3) == channel(rgba, 4, 3));
        CHECK(resampled(channel(three, 3, 1), resize, 4) == channel(rgb, 3, 1));
      }
    }
  }
}

}  // namespace weir::codec::test
