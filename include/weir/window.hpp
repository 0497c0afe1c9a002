#pragma once

#include <cstdint>

#include "weir/export.hpp"
#include "weir/image.hpp"

namespace weir {

/// A point in continuous coordinates: pixel i covers [i, i + 1).
struct Point {
  double x = 0;  ///< from the left
  double y = 0;  ///< from the top

  /// Compares both members.
  friend bool operator==(const Point&, const Point&) = default;
};

/// A rectangle in continuous coordinates: pixel i covers [i, i + 1).
struct Rect {
  double x = 0;       ///< left edge
  double y = 0;       ///< top edge
  double width = 0;   ///< to the right edge
  double height = 0;  ///< to the bottom edge

  /// Compares all members.
  friend bool operator==(const Rect&, const Rect&) = default;
};

/// Which sides are exchanged.
struct Flip {
  bool horizontal = false;  ///< left and right
  bool vertical = false;    ///< top and bottom

  /// Compares both members.
  friend bool operator==(const Flip&, const Flip&) = default;
};

/// Which rectangle of the upright image became which rectangle of the row. One window decides for the
/// image and for all planes of a sample: a point (x, y) of the image's row is (x s, y s) of a plane's,
/// where s is PlaneOptions::scale. Rows that show no sample (blank, padding) have an empty window.
struct WEIR_API Window {
  Rect source{};                 ///< in the upright image; it may reach beyond the image
  Rect target{};                 ///< in the row; the rest of the row is fill
  Flip flip{};                   ///< mirrored at the edges of `target`, after the crop
  ImageSize image{};             ///< size of the upright image
  std::uint8_t orientation = 1;  ///< EXIF orientation that was applied, 1 to 8

  /// Whether the row shows nothing.
  bool empty() const noexcept { return source.width == 0 || source.height == 0; }
  /// Where a point of the upright image is in the row. It may be outside `target`. Of an empty window:
  /// the same point; the same for the other maps.
  Point to_row(Point image_point) const noexcept;
  /// Which point of the upright image a point of the row shows.
  Point to_image(Point row_point) const noexcept;
  /// Where a rectangle of the upright image is in the row; not clipped, with sides of 0 or more.
  Rect to_row(const Rect& image_rect) const noexcept;
  /// Which rectangle of the upright image a rectangle of the row shows; with sides of 0 or more.
  Rect to_image(const Rect& row_rect) const noexcept;
  /// The part of a rectangle of the row that is inside `target`. Its sides are 0 if no part is.
  Rect clipped(const Rect& row_rect) const noexcept;
  /// Share of the area of a rectangle of the row that is inside `target`, 0 to 1. 0 for an empty one.
  double visible(const Rect& row_rect) const noexcept;

  /// Compares all members.
  friend bool operator==(const Window&, const Window&) = default;
};

}  // namespace weir
