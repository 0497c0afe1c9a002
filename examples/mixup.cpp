// Two images blended into one row: pixels, masks, boxes and the weights of labels. See mixup.hpp, which has all
// of it, and docs/guide/mosaic-and-mixup.md.
//   mixup [--picture FILE.png]
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>

#include "made_scenes.hpp"
#include "mixup.hpp"
#include "sheet.hpp"

namespace {

constexpr std::uint32_t side = 192;

/// The blend of the colours of two masks; of classes a and b, `share` of a.
double value_of(std::uint8_t a, std::uint8_t b, double share, std::size_t channel) {
  return share * class_colour(a)[channel] + (1 - share) * class_colour(b)[channel];
}

void paint(Sheet& sheet, std::uint32_t column, const weir::Batch& batch, std::uint32_t row) {
  const auto image = batch.image(row), mask = batch.plane("mask").image(row),
             other = batch.plane("other").image(row);
  const auto labels = batch.annotations<mixup::WeightedLabel>(row);
  sheet.paint(0, column, [&](auto y, auto x) -> Sheet::Colour {
    for (const auto& label : labels)
      if (label.whole == 0 && on_outline(label.box, y, x))
        return {255, static_cast<std::uint8_t>(255 * label.weight), 0};
    return colour_of(image, y, x);
  });
  sheet.paint(1, column,
              [&](auto y, auto x) { return class_colour(mask.line_as<std::uint8_t>(y)[x]); });
  sheet.paint(2, column,
              [&](auto y, auto x) { return class_colour(other.line_as<std::uint8_t>(y)[x]); });
}

}  // namespace

int main(int argc, char** argv) try {
  const auto path = PictureArguments(argc, argv).path;
  auto options = mixup::options({side, side}, 3);
  options.batch = 8;
  weir::Loader loader(made_scenes(16), options);
  Sheet sheet(3, 4, side);
  std::uint32_t column = 0;
  std::uint64_t rows = 0, wrong = 0;
  for (weir::Batch& batch : loader.stream({.epochs = 2}))
    for (std::uint32_t row = 0; row < batch.size(); ++row, ++rows) {
      if (column < sheet.columns()) paint(sheet, column++, batch, row);
      double share = 0, sum = 0;
      for (const auto& label : batch.annotations<mixup::WeightedLabel>(row))
        if (label.whole == 1) share = sum == 0 ? label.weight : share, sum += label.weight;
      if (std::abs(sum - 1) > 1e-6) ++wrong;
      const auto image = batch.image(row);
      const auto mask = batch.plane("mask").image(row), other = batch.plane("other").image(row);
      for (std::uint32_t y = 0; y < side; ++y)
        for (std::uint32_t x = 0; x < side; ++x) {
          const auto a = mask.line_as<std::uint8_t>(y)[x], b = other.line_as<std::uint8_t>(y)[x];
          // The noise of each image is 12 at most.
          for (std::size_t c = 0; c < 3 && a != ignore && b != ignore; ++c)
            if (std::abs(colour_of(image, y, x)[c] - value_of(a, b, share, c)) > 13) ++wrong;
        }
    }
  if (!path.empty()) sheet.write(path);
  std::printf("%llu rows of %llu samples; %llu values are no blend of their masks\n",
              static_cast<unsigned long long>(rows),
              static_cast<unsigned long long>(rows + loader.report().samples.partners),
              static_cast<unsigned long long>(wrong));
  return rows == 32 && loader.report().samples.partners == rows && wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
