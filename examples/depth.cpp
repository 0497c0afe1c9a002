// Depth beside images: 16-bit planes of millimetres, and the mean depth at the centre of each image.
//   depth [IMAGES DEPTHS]
// The depths are 16-bit grey PNGs or PGMs with the stem of their image. 0 is "not measured".
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "png.hpp"

namespace {

constexpr std::uint32_t made_width = 160, made_height = 120, side = 64;
constexpr std::uint64_t made_count = 16, without_depth = 5;

/// A wall that is turned away to the right, and a hole in the measurement.
std::uint16_t depth_at(std::uint64_t i, std::uint32_t y, std::uint32_t x) {
  if (y < made_height / 2 && x < made_width / 2) return 0;
  return static_cast<std::uint16_t>(900 + 300 * i + 11 * x + y);
}

/// Image i is bright where the wall is near. One image has no depth.
weir::AnySource made_walls() {
  std::vector<weir::MemorySample> images, depths;
  for (std::uint64_t i = 0; i < made_count; ++i) {
    std::vector<std::uint8_t> colours, millimetres;
    for (std::uint32_t y = 0; y < made_height; ++y)
      for (std::uint32_t x = 0; x < made_width; ++x) {
        const unsigned depth = depth_at(i, y, x);
        for (const unsigned value : {depth >> 8, depth & 255})
          millimetres.push_back(static_cast<std::uint8_t>(value));
        const auto light = static_cast<std::uint8_t>(255 - depth / 40);
        colours.insert(colours.end(), {light, light, 128});
      }
    const auto name = "wall " + std::to_string(i) + ".png";
    images.push_back({name, write_png(PngKind::rgb, made_width, made_height, colours)});
    if (i != without_depth)
      depths.push_back({name, write_png(PngKind::grey16, made_width, made_height, millimetres)});
  }
  return weir::with_plane(weir::in_memory(std::move(images)), "depth",
                          weir::in_memory(std::move(depths)), weir::MissingPlane::absent);
}

/// The mean of what was measured, in millimetres; 0 if nothing was.
double mean_depth(const weir::ImageView& depth) {
  double sum = 0, count = 0;
  for (std::uint32_t y = 0; y < depth.shape.height; ++y)
    for (const std::uint16_t millimetres : depth.line_as<std::uint16_t>(y)) {
      sum += millimetres;
      count += millimetres > 0 ? 1 : 0;
    }
  return count > 0 ? sum / count : 0;
}

/// The same from the formula, for the centre of made image i.
double true_depth(std::uint64_t i) {
  double sum = 0, count = 0;
  for (std::uint32_t y = (made_height - side) / 2; y < (made_height + side) / 2; ++y)
    for (std::uint32_t x = (made_width - side) / 2; x < (made_width + side) / 2; ++x) {
      sum += depth_at(i, y, x);
      count += depth_at(i, y, x) > 0 ? 1 : 0;
    }
  return sum / count;
}

}  // namespace

int main(int argc, char** argv) try {
  const bool made = argc < 3;
  const auto images =
      made ? made_walls()
           : weir::with_plane(weir::image_folder(argv[1]), "depth", weir::image_folder(argv[2]),
                              weir::MissingPlane::absent);
  weir::Options options{.shape = {side, side}};
  if (made) options.short_side = made_height;  // the crop has the pixels of the file
  options.planes = {
      {.name = "depth", .pixels = weir::PixelFormat::stored16, .fill = {0}, .optional = true}};
  options.batch = 4;
  weir::Loader loader(images, options);

  bool right = true;
  for (weir::Batch& batch : loader.stream()) {
    const auto depth = batch.plane("depth");
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto index = batch.indices()[row];
      const auto name = loader.name(index);
      if (depth.statuses()[row] != weir::PlaneStatus::ok) {
        std::printf("%s: no depth\n", name.c_str());
        right &= !made || index == without_depth;
        continue;
      }
      const double mean = mean_depth(depth.image(row));
      std::printf("%s: %.1f mm\n", name.c_str(), mean);
      right &= !made || std::abs(mean - true_depth(index)) < 1e-6;
    }
  }
  const auto stats = loader.report().planes.at(0);
  std::printf("%llu images with depth, %llu without\n", static_cast<unsigned long long>(stats.ok),
              static_cast<unsigned long long>(stats.absent));
  return right && (!made || (stats.ok == made_count - 1 && stats.absent == 1)) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
