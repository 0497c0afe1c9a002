#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"

namespace detection {

/// The Boxes of a label file of YOLO. A line is the class, and a box by its centre and sides, as shares of
/// the image's sides. Throws weir::SampleError for a wrong line of `name`.
inline std::vector<Box> boxes_of_yolo(const std::string& text, weir::ImageSize image,
                                      const std::string& name = "the labels") {
  const auto wrong = [&](std::size_t line, const std::string& what) {
    throw weir::SampleError(weir::FaultKind::corrupt,
                            "line " + std::to_string(line) + " of " + name + ' ' + what);
  };
  std::istringstream in(text);
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  const double across = image.width, down = image.height;
  std::vector<Box> boxes;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    std::istringstream fields(line);
    std::int32_t category = 0;
    double x = 0, y = 0, width = 0, height = 0;
    std::string more;
    if (!(fields >> category >> x >> y >> width >> height) || fields >> more)
      wrong(number, "is not a class and four numbers");
    if (category < 0 || !share(x) || !share(y) || !share(width) || !share(height))
      wrong(number, "has a class below 0 or a number that is not in 0 to 1");
    boxes.push_back({.x = static_cast<float>((x - width / 2) * across),
                     .y = static_cast<float>((y - height / 2) * down),
                     .width = static_cast<float>(width * across),
                     .height = static_cast<float>(height * down),
                     .id = static_cast<std::int64_t>(number),
                     .category = category});
  }
  return boxes;
}

/// A transform that turns label files into Boxes. A wrong line is a fault of the sample.
inline void boxes_from_yolo(weir::DecodedSample& sample) {
  const auto text = sample.annotation.as<char>();
  const auto boxes = boxes_of_yolo({text.begin(), text.end()}, sample.window.image);
  sample.annotation.assign(std::span<const Box>(boxes));
}

/// The images with the Boxes of their label files, which are read now: for mosaic and mixup, whose
/// transforms take Boxes. Reads the header of each image. An image without a file has no boxes.
inline weir::AnySource with_boxes_from_yolo(weir::AnySource images,
                                            const std::filesystem::path& folder) {
  if (!std::filesystem::is_directory(folder))
    throw std::runtime_error(folder.string() + ": no folder");
  const auto sizes = weir::measure_sizes(images);
  std::vector<std::vector<Box>> boxes;
  for (std::uint64_t i = 0; i < images.size(); ++i) {
    const auto path = (folder / images.name(i)).replace_extension(".txt");
    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    boxes.push_back(boxes_of_yolo(text, (*sizes)[i], path.string()));
  }
  return weir::with_annotations(std::move(images), boxes);
}

}  // namespace detection
