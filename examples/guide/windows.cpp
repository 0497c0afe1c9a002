// docs/guide/windows.md: boxes that follow their crop, and window functions of one's own.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

#include "../png.hpp"

namespace {

constexpr std::uint32_t side = 48;

struct Box {
  weir::Rect where;  ///< in pixels of the upright image
  std::int64_t label = 0;
};
using Boxes = std::vector<Box>;

/// The boxes of row i, clipped to what it shows. Those of which less than 30 % is left are dropped.
Boxes boxes_of_row(const weir::Batch& batch, std::uint32_t i, std::span<const Box> boxes) {
  const weir::Window& window = batch.window(i);
  Boxes kept;
  for (const Box& box : boxes) {
    const weir::Rect in_row = window.to_row(box.where);
    if (window.visible(in_row) >= 0.3) kept.push_back({window.clipped(in_row), box.label});
  }
  return kept;
}

/// What a detector found in a row, in pixels of the image.
weir::Rect found_in_image(const weir::Window& window, const weir::Rect& found) {
  return window.to_image(window.clipped(found));
}

/// A square around the first box of each image, 1.2 to 2 times as large, also beyond the image.
weir::Loader around_boxes(weir::AnySource images, const std::vector<Boxes>& boxes) {
  const auto choose = [&boxes](const weir::WindowInput& in, weir::Random& random) {
    const auto& [x, y, width, height] = boxes[in.index].front().where;
    const double span = std::max(width, height) * random.uniform(1.2, 2);
    return weir::Window{.source = {x + width / 2 - span / 2, y + height / 2 - span / 2, span, span},
                        .flip = {.horizontal = random.below(2) == 1}};
  };
  return weir::Loader(std::move(images), {.shape = {side, side},
                                          .window = {.choose = choose, .name = "around boxes"},
                                          .fill = {114, 114, 114},
                                          .batch = 4});
}

/// The first of fifty random crops that shows at least half of a box, else the whole image.
weir::Window crop_with_a_box(const weir::WindowInput& in, weir::Random& random,
                             const Boxes& boxes) {
  const double width = in.image.width, height = in.image.height;
  for (int i = 0; i < 50; ++i) {
    const double w = width * random.uniform(0.3, 1), h = height * random.uniform(0.3, 1);
    const double x = random.uniform(0, width - w), y = random.uniform(0, height - h);
    const weir::Rect crop{x, y, w, h};
    const weir::Window cut{.source = crop, .target = crop};  // maps each point to itself
    for (const Box& box : boxes)
      if (cut.visible(box.where) >= 0.5) return {.source = crop};
  }
  return {.source = {0, 0, width, height}};
}

/// The same crop of an image in every epoch, so that its row is decoded once.
weir::Loader crops_with_boxes(weir::AnySource images, const std::vector<Boxes>& boxes) {
  const auto choose = [&boxes](const weir::WindowInput& in, weir::Random& random) {
    return crop_with_a_box(in, random, boxes[in.index]);
  };
  return weir::Loader(
      std::move(images),
      {.shape = {side, side},
       .window = {.choose = choose, .name = "crops with boxes", .same_each_epoch = true},
       .batch = 4,
       .cache = {.keep = weir::Cache::decoded, .max_bytes = 1 << 20}});
}

constexpr std::uint64_t count = 12;

/// White rectangles on black, and where they are.
std::pair<weir::AnySource, std::vector<Boxes>> made_images() {
  std::vector<weir::MemorySample> files;
  std::vector<Boxes> boxes;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t width = 60 + 16 * (i % 3), height = 90 - 14 * (i % 4);
    const weir::Rect where{5.0 + 3 * i, 8.0 + 2 * i, 12.0 + i % 5, 15.0 - i % 3};
    boxes.push_back({{where, i % 4}});
    std::vector<std::uint8_t> values;
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        const double across = x - where.x, down = y - where.y;
        const bool inside = across >= 0 && across < where.width && down >= 0 && down < where.height;
        values.insert(values.end(), 3, inside ? 255 : 0);
      }
    files.push_back({std::to_string(i) + ".png", write_png(PngKind::rgb, width, height, values)});
  }
  return {weir::in_memory(std::move(files)), std::move(boxes)};
}

/// The smallest rectangle with all white pixels of a row.
weir::Rect white_in(const weir::ImageView& row) {
  double left = side, top = side, right = 0, bottom = 0;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x)
      if (row.line_as<std::uint8_t>(y)[std::size_t{3} * x] > 127) {
        left = std::min<double>(left, x);
        top = std::min<double>(top, y);
        right = std::max<double>(right, x + 1);
        bottom = std::max<double>(bottom, y + 1);
      }
  return {left, top, right - left, bottom - top};
}

/// Largest distance of the edges.
double distance(const weir::Rect& a, const weir::Rect& b) {
  return std::max({std::abs(a.x - b.x), std::abs(a.y - b.y),
                   std::abs(a.x + a.width - b.x - b.width),
                   std::abs(a.y + a.height - b.y - b.height)});
}

struct Seen {
  std::uint64_t rows = 0, boxes = 0;
  double error = 0;  ///< largest distance of a box from what the row shows, in pixels
  std::map<std::uint64_t, weir::Window> windows;
  bool same = true;  ///< whether an image has one window
};

Seen check(weir::Loader& loader, const std::vector<Boxes>& boxes) {
  Seen seen;
  for (weir::Batch& batch : loader.stream({.epochs = 3}))
    for (std::uint32_t i = 0; i < batch.size(); ++i, ++seen.rows) {
      const auto index = batch.indices()[i];
      const auto& window = batch.window(i);
      seen.same &= seen.windows.emplace(index, window).first->second == window;
      for (const auto& [where, label] : boxes_of_row(batch, i, boxes[index])) {
        ++seen.boxes;
        seen.error = std::max(seen.error, distance(where, white_in(batch.image(i))));
        const auto back = window.to_row(found_in_image(window, where));
        seen.error = std::max(seen.error, distance(where, back));
      }
    }
  return seen;
}

}  // namespace

int main() {
  const auto made = made_images();
  const auto& images = made.first;
  const auto& boxes = made.second;
  weir::Loader random(images, {.shape = {side, side}, .fit = weir::Fit::random, .batch = 4});
  weir::Loader letterbox(images, {.shape = {side, side},
                                  .fit = weir::Fit::letterbox,
                                  .flip = {.horizontal = 0.5, .vertical = 0.5},
                                  .batch = 4});
  auto around = around_boxes(images, boxes), with_boxes = crops_with_boxes(images, boxes);
  bool right = true;
  const auto report = [&](const char* name, weir::Loader& loader, std::uint64_t least) {
    const auto seen = check(loader, boxes);
    std::printf("%s: %llu boxes in %llu rows, at most %.2f pixels from their rectangles\n", name,
                static_cast<unsigned long long>(seen.boxes),
                static_cast<unsigned long long>(seen.rows), seen.error);
    right &= seen.boxes >= least && seen.rows == 3 * count && seen.error <= 1;
    return seen.same;
  };
  report("random", random, 1);
  report("letterbox", letterbox, 3 * count);
  right &= !report("around boxes", around, 3 * count);
  right &= report("crops with boxes", with_boxes, 3 * count);
  return right ? 0 : 1;
}
