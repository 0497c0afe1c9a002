#include <algorithm>
#include <random>
#include <set>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "unit/codec/encoders.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using codec::test::encode_jpeg;
using codec::test::encode_png;
using codec::test::Pixels;
using codec::test::Raster;
using codec::test::reference_jpeg;

/// An image with `padding` pixels of `value` on each side.
Raster padded_by(const Raster& image, std::uint32_t padding, std::uint8_t value) {
  Raster out{image.width + 2 * padding, image.height + 2 * padding, image.channels, {}};
  out.values.resize(std::size_t{out.width} * out.height * out.channels, value);
  for (std::uint32_t y = 0; y < image.height; ++y)
    std::copy_n(
        image.values.data() + std::size_t{y} * image.width * image.channels,
        std::size_t{image.width} * image.channels,
        out.values.data() + (std::size_t{y + padding} * out.width + padding) * out.channels);
  return out;
}

/// The pixels of a rectangle of the image, mirrored if asked.
Pixels cut(const Raster& image, std::uint32_t left, std::uint32_t top, ImageSize size,
           bool mirrored) {
  Pixels out;
  for (std::uint32_t y = 0; y < size.height; ++y)
    for (std::uint32_t x = 0; x < size.width; ++x)
      for (std::uint32_t c = 0; c < image.channels; ++c)
        out.push_back(image.at(left + (mirrored ? size.width - 1 - x : x), top + y, c));
  return out;
}

Pixels pixels_of_row(const ImageView& view) { return {view.data, view.data + view.bytes()}; }

Raster grains(std::uint32_t width, std::uint32_t height, std::mt19937& random) {
  Raster image{width, height, 3, Pixels(std::size_t{width} * height * 3)};
  for (auto& value : image.values) value = static_cast<std::uint8_t>(random());
  return image;
}

/// What a file shows, and the file.
struct Shown {
  Raster pixels;
  MemorySample file;
};

Shown shown_by(const Raster& image, bool jpeg, std::size_t i) {
  auto bytes = jpeg ? encode_jpeg(image) : encode_png(image.width, image.height, image.values, {});
  return {jpeg ? reference_jpeg(bytes) : image, {std::to_string(i), std::move(bytes)}};
}

}  // namespace

TEST_CASE("patches of padded CIFAR-10 equal crops of a plain loop", "[planes][fit][data]") {
  const auto folder = test_data("cifar10");
  if (!folder) {
    skip("WEIR_TEST_DATA has no cifar10");
    return;
  }
  const auto source = image_folder((*folder / "test").string());
  Options options{.shape = {32, 32},
                  .fit = Fit::patch,
                  .flip = {.horizontal = 0.5},
                  .patch = {.padding = 4},
                  .fill = {9, 9, 9},
                  .order = Order::shuffle(),
                  .workers = 2};
  Loader loader(source, options);
  std::set<std::pair<double, double>> corners;
  std::uint64_t rows = 0, mirrored = 0;
  for (auto& batch : loader.stream())
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++rows) {
      const auto name = source.name(batch.indices()[i]);
      const auto& window = batch.window(i);
      CAPTURE(name, window.source.x, window.source.y, window.flip.horizontal);
      REQUIRE(window.source.width == 32);
      REQUIRE(window.source.height == 32);
      const auto file = reference_jpeg(codec::test::read_file(*folder / "test" / name));
      const auto expected =
          cut(padded_by(file, 4, 9), static_cast<std::uint32_t>(window.source.x + 4),
              static_cast<std::uint32_t>(window.source.y + 4), {32, 32}, window.flip.horizontal);
      REQUIRE(pixels_of_row(batch.image(i)) == expected);
      corners.emplace(window.source.x, window.source.y);
      mirrored += window.flip.horizontal ? 1u : 0u;
    }
  CHECK(rows == 500);
  CHECK(corners.size() > 70);  // of 9 x 9
  CHECK(mirrored > 200);
  CHECK(mirrored < 300);
}

TEST_CASE("the crops of a pair are the pixels of both files", "[planes][fit]") {
  const auto scale = GENERATE(2u, 4u);
  const bool jpeg = GENERATE(false, true);
  std::mt19937 random(scale);
  std::vector<Shown> small, large;
  std::vector<MemorySample> small_files, large_files;
  for (std::size_t i = 0; i < 12; ++i) {
    small.push_back(shown_by(grains(29, 23, random), jpeg, i));
    large.push_back(shown_by(grains(29 * scale, 23 * scale, random), jpeg, i));
    small_files.push_back(small.back().file);
    large_files.push_back(large.back().file);
  }
  auto options = small_options();
  options.shape = {10, 12};
  options.fit = Fit::patch;
  options.flip = {.horizontal = 0.5};
  options.planes = {{.name = "large", .pixels = PixelFormat::rgb8, .scale = {scale, 1}}};
  options.order = Order::shuffle();
  Loader loader(with_plane(in_memory(small_files), "large", in_memory(large_files)), options);
  std::set<std::pair<double, double>> corners;
  for (auto& batch : loader.stream({.epochs = 4}))
    for (std::uint32_t i = 0; i < batch.size(); ++i) {
      const auto index = batch.indices()[i];
      const auto& window = batch.window(i);
      CAPTURE(scale, jpeg, index, window.source.x, window.source.y);
      const auto left = static_cast<std::uint32_t>(window.source.x),
                 top = static_cast<std::uint32_t>(window.source.y);
      CHECK(pixels_of_row(batch.image(i)) ==
            cut(small[index].pixels, left, top, {10, 12}, window.flip.horizontal));
      CHECK(pixels_of_row(batch.plane("large").image(i)) ==
            cut(large[index].pixels, scale * left, scale * top, {10 * scale, 12 * scale},
                window.flip.horizontal));
      corners.emplace(window.source.x, window.source.y);
    }
  CHECK(corners.size() > 30);
  CHECK(loader.report().fault_count == 0);
}
