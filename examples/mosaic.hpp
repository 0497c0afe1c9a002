#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"
#include "copy_part.hpp"

/// Four images in one row, as detectors of the YOLO family are trained: Options::partners with three of them.
namespace mosaic {

/// The part of the row that sample 0 to 3 fills: upper left, upper right, lower left, lower right. They meet
/// in a point that all samples of the row draw alike.
inline weir::Rect part_of(const weir::WindowInput& in) {
  weir::Random shared = in.row_random;
  const auto cut = [&](std::uint32_t side) {
    return std::floor(shared.uniform(0.25, 0.75) * side);
  };
  const double width = in.row.width, height = in.row.height;
  const double x = std::max(1.0, cut(in.row.width)), y = std::max(1.0, cut(in.row.height));
  const bool right = in.partner % 2 == 1, low = in.partner >= 2;
  return {right ? x : 0, low ? y : 0, right ? width - x : x, low ? height - y : y};
}

/// Options::window: a crop that fills the part, of half to all of what the image has for it, mirrored or not.
inline weir::Window window(const weir::WindowInput& in, weir::Random& random) {
  const auto part = part_of(in);
  const double most = std::min(in.image.width / part.width, in.image.height / part.height);
  const double scale = most * random.uniform(0.5, 1);
  const double width = part.width * scale, height = part.height * scale;
  const double x = random.uniform(0, in.image.width - width),
               y = random.uniform(0, in.image.height - height);
  return {.source = {x, y, width, height},
          .target = part,
          .flip = {.horizontal = random.below(2) == 1}};
}

/// Options::transform, of fitted images: the partners' parts of the image and of all planes, and all boxes in
/// pixels of the row. A box is left out if less than this share of it is visible.
inline void apply(weir::DecodedSample& sample, double least_visible = 0.2) {
  using detection::Box;
  auto boxes = detection::visible_boxes(sample.window, sample.annotation.as<Box>(), least_visible);
  for (const auto& partner : sample.partners) {
    copy_part(partner.image, sample.row, partner.at);
    for (std::size_t p = 0; p < sample.planes.size(); ++p)
      copy_part(partner.planes[p].image, sample.planes[p].row, partner.planes[p].at);
    const auto more =
        detection::visible_boxes(partner.window, partner.annotations<Box>(), least_visible);
    boxes.insert(boxes.end(), more.begin(), more.end());
  }
  sample.annotation.assign<Box>(boxes);
}

/// Options with mosaics. `most_boxes`: of one image.
inline weir::Options options(weir::ImageSize row, std::uint64_t most_boxes) {
  weir::Options options;
  options.shape = row;
  options.order = weir::Order::shuffle();
  options.partners.count = 3;
  options.window = {.choose = window, .name = "mosaic"};
  options.transform = {.apply = [](weir::DecodedSample& sample) { apply(sample); },
                       .input = weir::TransformInput::fitted};
  options.annotation_bytes = 4 * most_boxes * sizeof(detection::Box);
  return options;
}

}  // namespace mosaic
