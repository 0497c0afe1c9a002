#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"
#include "shapes.hpp"

/// The boxes around what a mask gives the classes 1 to 3.
inline std::vector<detection::Box> boxes_around(const std::vector<std::uint8_t>& classes) {
  std::vector<detection::Box> boxes;
  for (std::uint8_t found = 1; found < 4; ++found) {
    std::uint32_t left = Shapes::width, top = Shapes::height, right = 0, bottom = 0;
    for (std::uint32_t i = 0; i < classes.size(); ++i) {
      if (classes[i] != found) continue;
      const auto y = i / Shapes::width, x = i % Shapes::width;
      left = std::min(left, x), right = std::max(right, x + 1);
      top = std::min(top, y), bottom = y + 1;
    }
    if (right > 0)
      boxes.push_back({.x = float(left),
                       .y = float(top),
                       .width = float(right - left),
                       .height = float(bottom - top),
                       .category = found});
  }
  return boxes;
}

/// Images of shapes, each with a mask of their classes and a box around each shape in the mask, whose edges
/// are `ignore`.
inline weir::AnySource made_scenes(std::uint64_t count) {
  std::vector<weir::MemorySample> images, masks;
  std::vector<std::vector<detection::Box>> boxes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto name = "shapes " + std::to_string(i) + ".png";
    Shapes shapes(i);
    images.push_back({name, shapes.image(), static_cast<std::int64_t>(i % 3)});
    const auto classes = shapes.classes();
    masks.push_back({name, write_png(PngKind::palette, Shapes::width, Shapes::height, classes)});
    boxes.push_back(boxes_around(classes));
  }
  return weir::with_annotations(weir::with_plane(weir::in_memory(std::move(images)), "mask",
                                                 weir::in_memory(std::move(masks))),
                                boxes);
}

/// Whether a box around pixels of a class of the mask is as large as what it surrounds: each of its edges has
/// one of them within two pixels.
inline bool is_tight(const detection::Box& box, const weir::ImageView& mask) {
  const auto find = [&](double left, double top, double right, double bottom) {
    for (int y = std::max(0, int(top)); y < std::min(int(mask.shape.height), int(bottom)); ++y)
      for (int x = std::max(0, int(left)); x < std::min(int(mask.shape.width), int(right)); ++x)
        if (mask.line_as<std::uint8_t>(std::uint32_t(y))[std::size_t(x)] == box.category)
          return true;
    return false;
  };
  const double right = box.x + box.width, bottom = box.y + box.height;
  return find(box.x - 1, box.y, box.x + 3, bottom) && find(right - 2, box.y, right + 2, bottom) &&
         find(box.x, box.y - 1, right, box.y + 3) && find(box.x, bottom - 2, right, bottom + 2);
}

/// Whether a pixel is on the outline of a box.
inline bool on_outline(const detection::Box& box, std::uint32_t y, std::uint32_t x) {
  const auto beside = [](float from, float length, std::uint32_t at) {
    const auto first = std::lround(from), last = std::lround(from + length) - 1;
    return std::pair(first <= long(at) && long(at) <= last, first == long(at) || last == long(at));
  };
  const auto [in_x, edge_x] = beside(box.x, box.width, x);
  const auto [in_y, edge_y] = beside(box.y, box.height, y);
  return in_x && in_y && (edge_x || edge_y);
}

/// Whether the middle of a pixel is within a pixel of a box of its class.
inline bool is_covered(std::span<const detection::Box> boxes, std::int32_t category,
                       std::uint32_t y, std::uint32_t x) {
  return std::ranges::any_of(boxes, [&](const detection::Box& box) {
    return box.category == category && x + 1.5 > box.x && x - 0.5 < box.x + box.width &&
           y + 1.5 > box.y && y - 0.5 < box.y + box.height;
  });
}
