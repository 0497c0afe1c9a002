// Depth beside images: 16-bit planes of millimetres, and the mean depth at the centre of each image.
// See docs/guide/depth.md.
//   depth [IMAGES DEPTHS] [--picture FILE.png]
// The depths are 16-bit grey PNGs or PGMs with the stem of their image. 0 is "not measured".
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "png.hpp"
#include "sheet.hpp"

namespace {

constexpr int made_width = 160, made_height = 120, side = 64, made_count = 16, without_depth = 4;

/// A wall that is turned away to the right, and a ball before it.
int from_centre(int y, int x) { return (x - 86) * (x - 86) + (y - 60) * (y - 60); }
bool on_ball(int y, int x) { return from_centre(y, x) < 22 * 22; }
int distance_at(int i, int y, int x) {
  return on_ball(y, x) ? 800 + 200 * i + from_centre(y, x) : 900 + 300 * i + 11 * x + y;
}
/// In millimetres. A strip beside the ball is not measured: the ball hides it from the sensor's light.
int depth_at(int i, int y, int x) {
  const bool hidden = !on_ball(y, x) && on_ball(y, x + 9);
  return hidden ? 0 : distance_at(i, y, x);
}

/// Image i is bright where the wall is near. One image has no depth.
weir::AnySource made_walls() {
  std::vector<weir::MemorySample> images, depths;
  for (int i = 0; i < made_count; ++i) {
    std::vector<std::uint8_t> colours, millimetres;
    for (int y = 0; y < made_height; ++y)
      for (int x = 0; x < made_width; ++x) {
        const int depth = depth_at(i, y, x);
        for (const int value : {depth >> 8, depth & 255})
          millimetres.push_back(static_cast<std::uint8_t>(value));
        const auto light = static_cast<std::uint8_t>(255 - distance_at(i, y, x) / 40);
        colours.insert(colours.end(), {light, light, on_ball(y, x) ? std::uint8_t{64} : light});
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
double true_depth(int i) {
  if (i == without_depth) return 0;
  double sum = 0, count = 0;
  for (int y = (made_height - side) / 2; y < (made_height + side) / 2; ++y)
    for (int x = (made_width - side) / 2; x < (made_width + side) / 2; ++x) {
      sum += depth_at(i, y, x);
      count += depth_at(i, y, x) > 0 ? 1 : 0;
    }
  return sum / count;
}

/// Red is half a metre, blue is eight metres, and each doubling is the same step. Black: not measured.
Sheet::Colour colour_of_depth(std::uint16_t millimetres) {
  if (millimetres == 0) return {0, 0, 0};
  const double steps = std::clamp(std::log2(millimetres / 500.0), 0.0, 4.0);
  const auto level = [&](double brightest) {
    return static_cast<std::uint8_t>(255 * std::clamp(1.5 - std::abs(steps - brightest), 0.0, 1.0));
  };
  return {level(1), level(2), level(3)};
}

/// An image, and below it its depth.
void paint(Sheet& sheet, std::uint64_t column, const weir::ImageView& image,
           const weir::ImageView& depth) {
  sheet.paint(0, column, [&](auto y, auto x) { return colour_of(image, y, x); });
  sheet.paint(1, column,
              [&](auto y, auto x) { return colour_of_depth(depth.line_as<std::uint16_t>(y)[x]); });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto [folders, path] = PictureArguments(argc, argv);
  const bool made = folders.size() < 2;
  const auto images =
      made ? made_walls()
           : weir::with_plane(weir::image_folder(folders[0]), "depth",
                              weir::image_folder(folders[1]), weir::MissingPlane::absent);
  weir::Options options{.shape = {side, side}};
  if (made) options.short_side = made_height;  // the crop has the pixels of the file
  options.planes = {
      {.name = "depth", .pixels = weir::PixelFormat::stored16, .fill = {0}, .optional = true}};
  options.batch = 4;
  weir::Loader loader(images, options);

  bool right = true;
  Sheet sheet(2, 6, side);
  for (weir::Batch& batch : loader.stream()) {
    const auto depth = batch.plane("depth");
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const bool present = depth.statuses()[row] == weir::PlaneStatus::ok;
      const double mean = present ? mean_depth(depth.image(row)) : 0;
      const auto index = batch.indices()[row];
      right &= !made || std::abs(mean - true_depth(static_cast<int>(index))) < 1e-6;
      if (present)
        std::printf("%s: %.1f mm\n", loader.name(index).c_str(), mean);
      else
        std::printf("%s: no depth\n", loader.name(index).c_str());
      if (index < sheet.columns()) paint(sheet, index, batch.image(row), depth.image(row));
    }
  }
  const auto stats = loader.report().planes.at(0);
  std::printf("%llu images with depth, %llu without\n", static_cast<unsigned long long>(stats.ok),
              static_cast<unsigned long long>(stats.absent));
  if (!path.empty()) sheet.write(path);
  return right && (!made || (stats.ok == made_count - 1 && stats.absent == 1)) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
