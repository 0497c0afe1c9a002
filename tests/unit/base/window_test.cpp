#include "weir/image.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace weir {
namespace {

bool near(double a, double b) { return std::abs(a - b) < 1e-9; }
bool near(const Rect& a, const Rect& b) {
  return near(a.x, b.x) && near(a.y, b.y) && near(a.width, b.width) && near(a.height, b.height);
}

}  // namespace

static_assert(sizeof(Window) <= 88, "each row of a batch has one");

TEST_CASE("a window maps points and boxes to the row and back") {
  Window window{
      .source = {10, 20, 40, 20}, .target = {4, 0, 20, 10}, .flip = {}, .image = {64, 64}};
  CHECK(window.to_row(Point{10, 20}) == Point{4, 0});
  CHECK(window.to_row(Point{50, 40}) == Point{24, 10});
  CHECK(window.to_image(Point{14, 5}) == Point{30, 30});
  CHECK(near(window.to_row(Rect{20, 22, 10, 4}), {9, 1, 5, 2}));
  window.flip.horizontal = true;
  CHECK(window.to_row(Point{10, 20}) == Point{24, 0});
  CHECK(near(window.to_row(Rect{20, 22, 10, 4}), {14, 1, 5, 2}));
  window.flip.vertical = true;
  CHECK(near(window.to_row(Rect{20, 22, 10, 4}), {14, 7, 5, 2}));
  CHECK(near(window.to_image(window.to_row(Rect{20, 22, 10, 4})), {20, 22, 10, 4}));
}

TEST_CASE("a box is clipped to the target and has a visible share") {
  const Window window{.source = {0, 0, 8, 8}, .target = {2, 0, 8, 8}, .flip = {}, .image = {8, 8}};
  CHECK(near(window.clipped({0, 2, 4, 4}), {2, 2, 2, 4}));
  CHECK(near(window.visible({0, 2, 4, 4}), 0.5));
  CHECK(window.visible({3, 3, 2, 2}) == 1);
  CHECK(window.visible({-5, 0, 5, 8}) == 0);
  CHECK(window.clipped({20, 0, 4, 4}).width == 0);
  CHECK(window.visible({3, 3, 0, 2}) == 0);
}

TEST_CASE("an empty window maps each point to itself") {
  const Window window{};
  CHECK(window.empty());
  CHECK(window.to_row(Point{3, 4}) == Point{3, 4});
  CHECK(window.to_image(Rect{1, 2, 3, 4}) == Rect{1, 2, 3, 4});
  CHECK(window.visible({0, 0, 1, 1}) == 0);
}

}  // namespace weir
