#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace unet {

struct Options {
  std::string images, masks, picture;
  std::int64_t classes = 4;
  std::uint32_t side = 64, batch = 8;
  std::uint64_t epochs = 20, seed = 1;
  double rise = 0;
};

/// Exits if the arguments are wrong or request help.
inline Options parse(int argc, char** argv) {
  Options options;
  CLI::App app("A small U-Net that learns the classes of pixels, fed by weir.");
  auto* const images = app.add_option("--images", options.images, "without it, shapes are made");
  auto* const masks = app.add_option("--masks", options.masks, "PNGs with the stems of the images");
  images->needs(masks);
  masks->needs(images);
  const auto number = [&](const char* name, auto& value, const char* what, int least) {
    app.add_option(name, value, what)->check(CLI::Range(least, 1 << 20))->capture_default_str();
  };
  number("--classes", options.classes, "masks have 0 to N - 1; other values do not count", 2);
  number("--side", options.side, "rows are N x N", 8);
  number("--batch", options.batch, "", 1);
  number("--epochs", options.epochs, "", 1);
  number("--seed", options.seed, "of weights, order and windows", 0);
  app.add_option("--picture", options.picture, "write images, masks and predictions as a PNG");
  app.add_option("--rise", options.rise, "fail if mean IoU rises by fewer points");
  try {
    app.parse(argc, argv);
    if (options.classes > 255) throw CLI::ValidationError("--classes: more than 255");
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error) == 0 ? 0 : 2);
  }
  return options;
}

}  // namespace unet
