#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>
#include <weir/random.hpp>

#include "png.hpp"

/// The value of a mask for pixels that do not count.
inline constexpr std::uint8_t ignore = 255;

/// Which colours made shapes have.
enum class ShapeColours : std::uint8_t {
  of_class,  ///< class_colour()
  varied,    ///< tints of those that differ from image to image
};

/// A disc, a rectangle and a triangle of classes 1 to 3 on ground of class 0, with noise. In the mask
/// their edges are `ignore`.
class Shapes {
 public:
  static constexpr std::uint32_t width = 160, height = 120;

  explicit Shapes(std::uint64_t seed, ShapeColours colours = ShapeColours::of_class)
      : random_(3, 0, seed) {
    for (auto& shape : shapes_)
      shape = {random_.uniform(30, width - 30), random_.uniform(30, height - 30),
               random_.uniform(14, 28)};
    for (std::size_t found = 0; found < colours_.size(); ++found) {
      colours_[found] = class_colour(found);
      if (colours == ShapeColours::varied)
        for (auto& value : colours_[found])
          value = static_cast<std::uint8_t>(value / 2 + random_.below(128));
    }
  }

  /// A PNG of RGB.
  std::vector<std::byte> image() {
    std::vector<std::uint8_t> values;
    for (int y = 0; y < int{height}; ++y)
      for (int x = 0; x < int{width}; ++x) {
        const auto noise = static_cast<int>(random_.below(25)) - 12;
        for (const auto value : colours_[class_at(x, y)])
          values.push_back(static_cast<std::uint8_t>(value + noise));
      }
    return write_png(PngKind::rgb, width, height, values);
  }
  /// The values of the mask, line after line: classes, and `ignore` at their edges.
  std::vector<std::uint8_t> classes() const {
    std::vector<std::uint8_t> values;
    for (int y = 0; y < int{height}; ++y)
      for (int x = 0; x < int{width}; ++x) {
        const auto found = class_at(x, y);
        bool edge = false;
        for (int v = -2; v <= 2; ++v)
          for (int u = -2; u <= 2; ++u) edge |= class_at(x + u, y + v) != found;
        values.push_back(edge ? ignore : found);
      }
    return values;
  }
  /// A PNG with a palette. Its indices are the classes.
  std::vector<std::byte> mask() const {
    return write_png(PngKind::palette, width, height, classes());
  }

 private:
  struct Shape {
    double x, y, size;
  };
  std::uint8_t class_at(int x, int y) const {
    const auto& [disc, box, roof] = shapes_;
    const auto across = [&](const Shape& shape) { return std::abs(x - shape.x); };
    const auto down = [&](const Shape& shape) { return std::abs(y - shape.y); };
    if (across(roof) < (y - roof.y + roof.size) / 2 && y < roof.y + roof.size) return 3;
    if (std::max(across(box), down(box)) < box.size) return 2;
    const double squares = across(disc) * across(disc) + down(disc) * down(disc);
    return squares < disc.size * disc.size ? 1 : 0;
  }
  weir::Random random_;
  std::array<Shape, 3> shapes_{};
  std::array<std::array<std::uint8_t, 3>, 4> colours_{};  ///< by class
};
