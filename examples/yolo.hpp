#pragma once

#include <cstdint>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"

namespace detection {

/// A transform that turns a label file of YOLO into Boxes. A line is the class, and a box by its centre
/// and sides, as shares of the image's sides. A wrong line is a fault of the sample.
inline void boxes_from_yolo(weir::DecodedSample& sample) {
  const auto wrong = [](std::size_t line, const std::string& what) {
    throw weir::SampleError(weir::FaultKind::corrupt,
                            "line " + std::to_string(line) + " of the labels " + what);
  };
  const auto text = sample.annotation.as<char>();
  std::istringstream in(std::string(text.begin(), text.end()));
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  const double across = sample.window.image.width, down = sample.window.image.height;
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
  sample.annotation.assign(std::span<const Box>(boxes));
}

}  // namespace detection
