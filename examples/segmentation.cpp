// Masks of classes beside images: the share of each class, and a picture with the masks laid over. See docs/guide/segmentation.md.
//   segmentation [IMAGES MASKS] [--picture FILE.png]
// The masks are palette or grey PNGs with the stem of their image. 255 is "ignore".
#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "shapes.hpp"
#include "sheet.hpp"

namespace {

constexpr std::uint32_t side = 96;

weir::AnySource made_shapes(std::uint64_t count) {
  std::vector<weir::MemorySample> images, masks;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = "shapes " + std::to_string(i) + ".png";
    Shapes shapes(i);
    images.push_back({name, shapes.image()});
    masks.push_back({name, shapes.mask()});
  }
  return weir::with_plane(weir::in_memory(std::move(images)), "mask",
                          weir::in_memory(std::move(masks)));
}

/// The class whose colour is nearest.
std::size_t class_of(const std::uint8_t* rgb) {
  const auto distance = [&](std::size_t found) {
    int sum = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const int difference = rgb[c] - class_colour(found)[c];
      sum += difference * difference;
    }
    return sum;
  };
  std::size_t best = 0;
  for (std::size_t found = 1; found < 4; ++found)
    if (distance(found) < distance(best)) best = found;
  return best;
}

/// An image, and below it the same with its mask laid over.
void paint(Sheet& sheet, std::uint32_t column, const weir::ImageView& image,
           const weir::ImageView& mask) {
  sheet.paint(0, column, [&](auto y, auto x) { return colour_of(image, y, x); });
  sheet.paint(1, column, [&](auto y, auto x) {
    const auto found = mask.line_as<std::uint8_t>(y)[x];
    auto colour = colour_of(image, y, x);
    for (std::size_t c = 0; c < 3; ++c)
      colour[c] = static_cast<std::uint8_t>(
          found == 0 ? colour[c] / 2 : (colour[c] + 2 * class_colour(found)[c]) / 3);
    return colour;
  });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto [folders, path] = PictureArguments(argc, argv);
  const bool made = folders.size() < 2;
  const auto images =
      made ? made_shapes(24)
           : weir::with_plane(weir::image_folder(folders[0]), "mask",
                              weir::image_folder(folders[1]), weir::MissingPlane::skip);
  weir::Options options{.shape = {side, side}, .fit = weir::Fit::random};
  options.planes = {{.name = "mask", .fill = {ignore}}};
  options.order = weir::Order::shuffle();
  options.batch = 8;
  weir::Loader loader(images, options);

  std::array<std::uint64_t, 256> pixels{};
  std::uint64_t others = 0;
  Sheet sheet(2, 4, side);
  std::uint32_t column = 0;
  for (weir::Batch& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto image = batch.image(row), mask = batch.plane("mask").image(row);
      if (column < sheet.columns()) paint(sheet, column++, image, mask);
      for (std::uint32_t y = 0; y < side; ++y) {
        const auto classes = mask.line_as<std::uint8_t>(y);
        const auto colours = image.line_as<std::uint8_t>(y);
        for (std::uint32_t x = 0; x < side; ++x) {
          ++pixels[classes[x]];
          others += classes[x] != ignore && class_of(&colours[std::size_t{3} * x]) != classes[x]
                        ? 1u
                        : 0u;
        }
      }
    }
  std::uint64_t sum = 0;
  for (const auto count : pixels) sum += count;
  for (std::size_t found = 0; found < pixels.size(); ++found)
    if (pixels[found] > 0)
      std::printf("%s %zu: %.1f %% of all pixels\n", found == ignore ? "ignore" : "class", found,
                  100 * static_cast<double>(pixels[found]) / static_cast<double>(sum));
  if (!path.empty()) sheet.write(path);
  if (!made) return sum > 0 ? 0 : 1;
  // A made shape has the colour of its class, so a mask of another window would not fit it.
  std::printf("%llu pixels have the colour of another class\n",
              static_cast<unsigned long long>(others));
  const bool all = pixels[0] > 0 && pixels[1] > 0 && pixels[2] > 0 && pixels[3] > 0;
  return all && others == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
