#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>
#include <weir/weir.hpp>

namespace detection {

/// A box of an image: the element of its annotation.
struct Box {
  float x = 0, y = 0, width = 0, height = 0;  ///< left, top and sides, in pixels
  std::int64_t id = 0;                        ///< of the annotation in its file
  std::int32_t category = 0;                  ///< as in the file
  std::int32_t crowd = 0;                     ///< 1: around many objects (COCO's iscrowd)
};

/// Boxes of an image as its window shows them: clipped, in pixels of the row. One is left out if less of its
/// area is visible than this share.
inline std::vector<Box> visible_boxes(const weir::Window& window, std::span<const Box> of_image,
                                      double least_visible = 0.2) {
  std::vector<Box> boxes;
  for (auto box : of_image) {
    const auto mapped = window.to_row(weir::Rect{box.x, box.y, box.width, box.height});
    if (!(window.visible(mapped) >= least_visible)) continue;
    const auto clipped = window.clipped(mapped);
    box.x = static_cast<float>(clipped.x);
    box.y = static_cast<float>(clipped.y);
    box.width = static_cast<float>(clipped.width);
    box.height = static_cast<float>(clipped.height);
    boxes.push_back(box);
  }
  return boxes;
}

/// Those of a row.
inline std::vector<Box> visible_boxes(const weir::Batch& batch, std::uint32_t row,
                                      double least_visible = 0.2) {
  return visible_boxes(batch.window(row), batch.annotations<Box>(row), least_visible);
}

/// Row, class, and a box by its centre and sides, as shares of the row's sides.
using Target = std::array<float, 6>;

/// What losses of detectors take of a batch: all visible boxes without crowds. `class_of` gives the
/// class, 0 to n - 1, of a category.
template <class ClassOf>
std::vector<Target> loss_targets(const weir::Batch& batch, const ClassOf& class_of) {
  const auto [height, width] = batch.pixels().shape;
  const auto down = static_cast<float>(height), across = static_cast<float>(width);
  std::vector<Target> targets;
  for (std::uint32_t row = 0; row < batch.size(); ++row)
    for (const auto& box : visible_boxes(batch, row))
      if (box.crowd == 0)
        targets.push_back({static_cast<float>(row), static_cast<float>(class_of(box.category)),
                           (box.x + box.width / 2) / across, (box.y + box.height / 2) / down,
                           box.width / across, box.height / down});
  return targets;
}

}  // namespace detection
