// Boxes from a COCO file that follow crops, flips and letterboxes, and results that go back to it.
//   detection [IMAGES INSTANCES.json] [--picture FILE.png]
// Without a data set it makes one, and measures how far each box is from its shape.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"
#include "coco.hpp"
#include "made_boxes.hpp"
#include "sheet.hpp"

namespace {

using detection::Box;
using detection::CocoSet;

constexpr std::uint32_t side = 96;

/// A random part of each image, mirrored or not.
weir::Loader crops(weir::AnySource images) {
  return weir::Loader(std::move(images), {.shape = {side, side},
                                          .fit = weir::Fit::random,
                                          .flip = {.horizontal = 0.5, .vertical = 0.5},
                                          .random = {.area = {0.3, 1}},
                                          .annotation_bytes = weir::ByteBound::measured,
                                          .order = weir::Order::shuffle(),
                                          .batch = 8});
}

/// The whole image with grey beside it, as YOLO's networks take it.
weir::Loader letterboxes(weir::AnySource images) {
  return weir::Loader(std::move(images), {.shape = {side, side},
                                          .fit = weir::Fit::letterbox,
                                          .flip = {.horizontal = 0.5},
                                          .fill = {114, 114, 114},
                                          .annotation_bytes = weir::ByteBound::measured,
                                          .batch = 8});
}

/// A detector that finds what is known: its results are the boxes of the row, back in the image.
void detect(const weir::Batch& batch, const CocoSet& set,
            std::vector<detection::Detection>& found) {
  for (std::uint32_t row = 0; row < batch.size(); ++row)
    for (const auto& box : detection::visible_boxes(batch, row))
      found.push_back(
          {.image_id = set.image_ids[batch.indices()[row]],
           .category = box.category,
           .box = batch.window(row).to_image(weir::Rect{box.x, box.y, box.width, box.height}),
           .score = 1});
}

/// Measures where the edges of a shape are in a row: by the share of its colour in each pixel.
class Edges {
 public:
  Edges(const weir::ImageView& row, const weir::Rect& target, std::size_t class_number)
      : row_(row), target_(target), colour_(class_colour(class_number)) {}

  /// Largest distance of an edge of the box from that of its shape. Edges beside which the row shows
  /// too little are left out.
  double error(const Box& box) {
    const double x = box.x + box.width / 2, y = box.y + box.height / 2;
    double most = 0;
    const auto measure = [&](double edge, double middle, bool across, bool begins) {
      const double first = std::floor(edge) - reach, least = across ? target_.x : target_.y;
      if (first < least || first + 2 * reach > least + (across ? target_.width : target_.height))
        return;
      double covered = 0;
      for (int along = 0; along < 2 * reach; ++along)
        for (int line = -1; line <= 1; ++line) {
          const double at = first + along, beside = std::floor(middle) + line;
          covered += (across ? share(at, beside) : share(beside, at)) / 3;
        }
      const double found = begins ? first + 2 * reach - covered : first + covered;
      most = std::max(most, std::abs(found - edge));
      ++measured;
    };
    measure(box.x, y, true, true);
    measure(box.x + box.width, y, true, false);
    measure(box.y, x, false, true);
    measure(box.y + box.height, x, false, false);
    return most;
  }
  int measured = 0;

 private:
  static constexpr int reach = 3;  // pixels on both sides of an edge

  /// How much of a pixel has the colour, and not that of the rest.
  double share(double x, double y) const {
    const auto line = row_.line_as<std::uint8_t>(static_cast<std::uint32_t>(y));
    double along = 0, length = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const double rest = class_colour(0)[c], step = colour_[c] - rest;
      along += (line[static_cast<std::size_t>(x) * 3 + c] - rest) * step;
      length += step * step;
    }
    return std::clamp(along / length, 0.0, 1.0);
  }

  weir::ImageView row_;
  weir::Rect target_;
  std::array<std::uint8_t, 3> colour_;
};

constexpr std::uint32_t columns = 6;
constexpr std::uint32_t cell = side + 3;  // with white between the rows

/// Whether a pixel is on the outline of a box, one pixel wide and inside of it; a crowd's is dotted.
bool is_outline(const Box& box, std::uint32_t y, std::uint32_t x) {
  const auto nearest = [](float edge, int least) {
    return static_cast<std::uint32_t>(
        std::clamp(static_cast<int>(std::lround(edge)), least, int{side} - 1 + least));
  };
  const auto left = nearest(box.x, 0), right = nearest(box.x + box.width, 1) - 1;
  const auto top = nearest(box.y, 0), bottom = nearest(box.y + box.height, 1) - 1;
  if (y < top || y > bottom || x < left || x > right) return false;
  const bool edge = y == top || y == bottom || x == left || x == right;
  return edge && (box.crowd != 1 || (x + y) % 3 != 0);
}

/// A row with its boxes.
void paint(Sheet& sheet, std::uint64_t line, std::uint64_t column, const weir::ImageView& row,
           const std::vector<Box>& boxes) {
  sheet.paint(line, column, [&](std::uint32_t y, std::uint32_t x) -> Sheet::Colour {
    if (y >= side || x >= side) return {255, 255, 255};
    for (const auto& box : boxes)
      if (is_outline(box, y, x)) return {255, 230, 0};
    return colour_of(row, y, x);
  });
}

/// What a pass over the data found.
struct Pass {
  std::uint64_t boxes = 0, visible = 0, crowds = 0, targets = 0;
  int edges = 0;        ///< of shapes, measured
  double farthest = 0;  ///< edge of a box from that of its shape, in pixels of the row
  double moved = 0;     ///< a result from the box of the file, in pixels of the image
};

/// Compares whole boxes with the shapes and with the file.
void compare(const weir::Batch& batch, std::uint32_t row, const CocoSet& set, Pass& pass) {
  const auto& window = batch.window(row);
  for (const auto& box : detection::visible_boxes(batch, row, 0.999)) {
    const auto boxes = batch.annotations<Box>(row);
    const auto& of_file = *std::ranges::find(boxes, box.id, &Box::id);
    const auto back = window.to_image(weir::Rect{box.x, box.y, box.width, box.height});
    for (const double apart : {back.x - of_file.x, back.y - of_file.y, back.width - of_file.width,
                               back.height - of_file.height})
      pass.moved = std::max(pass.moved, std::abs(apart));
    if (box.crowd == 1) continue;
    Edges edges(batch.image(row), window.target,
                static_cast<std::size_t>(set.class_of(box.category)) + 1);
    pass.farthest = std::max(pass.farthest, edges.error(box));
    pass.edges += edges.measured;
  }
}

/// True if boxes follow their shapes.
bool look_at(const char* name, weir::Loader loader, const CocoSet& set, bool made, Sheet& sheet,
             std::uint64_t line, std::vector<detection::Detection>& found) {
  Pass pass;
  std::uint64_t column = 0;
  const auto class_of = [&](std::int32_t category) { return set.class_of(category); };
  for (weir::Batch& batch : loader.stream({.epochs = 1})) {
    pass.targets += detection::loss_targets(batch, class_of).size();
    detect(batch, set, found);
    for (std::uint32_t row = 0; row < batch.size(); ++row) {
      const auto boxes = detection::visible_boxes(batch, row);
      if (column < columns && boxes.size() > (made ? 1u : 0u))
        paint(sheet, line, column++, batch.image(row), boxes);
      pass.boxes += batch.annotations<Box>(row).size();
      pass.visible += boxes.size();
      for (const auto& box : boxes) pass.crowds += box.crowd == 1 ? 1u : 0u;
      if (made) compare(batch, row, set, pass);
    }
  }
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("%s: %llu boxes, %llu visible, %llu of crowds, %llu targets\n", name,
              number(pass.boxes), number(pass.visible), number(pass.crowds), number(pass.targets));
  if (!made) return pass.boxes > 0;
  std::printf("  %d edges are at most %.2f pixels from their shapes; results are %.4f off\n",
              pass.edges, pass.farthest, pass.moved);
  return pass.edges > 50 && pass.farthest <= 0.5 && pass.moved < 0.001 && pass.crowds > 0 &&
         pass.targets == pass.visible - pass.crowds;
}

}  // namespace

int main(int argc, char** argv) try {
  auto [data, path] = PictureArguments(argc, argv);
  const bool made = data.size() < 2;
  std::optional<detection::MadeBoxes> shapes;
  if (made) {
    shapes.emplace(24);
    data = {shapes->images(), shapes->file()};
  }
  const auto set =
      detection::with_boxes_from_coco(data[1], weir::image_folder(data[0]), {.partial = !made});
  std::printf("%llu images, %zu categories\n", static_cast<unsigned long long>(set.images.size()),
              set.categories.size());
  Sheet sheet(2, columns, cell);
  std::vector<detection::Detection> found;
  bool right = look_at("crops", crops(set.images), set, made, sheet, 0, found);
  found.clear();
  right &= look_at("letterboxes", letterboxes(set.images), set, made, sheet, 1, found);
  if (made) detection::write_coco_results(shapes->results(), found);
  if (!path.empty()) sheet.write(path);
  return right ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
