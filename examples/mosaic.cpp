// Four images in one row: pixels, masks and boxes, all in mosaic.hpp. See docs/guide/mosaic-and-mixup.md.
//   mosaic [--picture FILE.png]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <vector>

#include "made_scenes.hpp"
#include "mosaic.hpp"
#include "sheet.hpp"

namespace {

constexpr std::uint32_t side = 192;

void paint(Sheet& sheet, std::uint32_t column, const weir::Batch& batch, std::uint32_t row) {
  const auto image = batch.image(row), mask = batch.plane("mask").image(row);
  const auto boxes = batch.annotations<detection::Box>(row);
  sheet.paint(0, column, [&](auto y, auto x) -> Sheet::Colour {
    for (const auto& box : boxes)
      if (on_outline(box, y, x)) return {255, 230, 0};
    return colour_of(image, y, x);
  });
  sheet.paint(1, column,
              [&](auto y, auto x) { return class_colour(mask.line_as<std::uint8_t>(y)[x]); });
}

/// Whether a box ends at the edge of the image, or where the four meet: the part of the row's own sample ends
/// there.
bool is_cut(const detection::Box& box, const weir::Rect& own) {
  const auto at = [](double edge, double meet) {
    return edge < 0.1 || edge > side - 0.1 || std::abs(edge - meet) < 0.1;
  };
  return at(box.x, own.width) || at(box.x + box.width, own.width) || at(box.y, own.height) ||
         at(box.y + box.height, own.height);
}

}  // namespace

int main(int argc, char** argv) try {
  const auto path = PictureArguments(argc, argv).path;
  auto options = mosaic::options({side, side}, 3);
  options.planes = {{.name = "mask", .fill = {ignore}}};
  options.batch = 8;
  // All that is visible, so that each pixel of a class is in a box.
  options.transform.apply = [](weir::DecodedSample& sample) { mosaic::apply(sample, 1e-9); };
  weir::Loader loader(made_scenes(16), options);
  Sheet sheet(2, 4, side);
  std::uint32_t column = 0;
  std::uint64_t rows = 0, boxes = 0, loose = 0, outside = 0;
  for (weir::Batch& batch : loader.stream({.epochs = 4}))
    for (std::uint32_t row = 0; row < batch.size(); ++row, ++rows) {
      if (column < sheet.columns()) paint(sheet, column++, batch, row);
      const auto mask = batch.plane("mask").image(row);
      const auto found = batch.annotations<detection::Box>(row);
      boxes += found.size();
      for (const auto& box : found)
        if (!is_cut(box, batch.window(row).target) && !is_tight(box, mask)) ++loose;
      for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
          const auto value = mask.line_as<std::uint8_t>(y)[x];
          if (value != 0 && value != ignore && !is_covered(found, value, y, x)) ++outside;
        }
    }
  if (!path.empty()) sheet.write(path);
  const auto samples = loader.report().samples;
  std::printf("%llu rows of %llu samples, %llu boxes; %llu are loose, %llu pixels are outside\n",
              static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(rows + samples.partners),
              static_cast<unsigned long long>(boxes), static_cast<unsigned long long>(loose),
              static_cast<unsigned long long>(outside));
  // Masks have the nearest pixels, so that a tip of one pixel may be lost.
  return samples.partners == 3 * rows && boxes > 4 * rows && 100 * loose < boxes && outside == 0
             ? 0
             : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
