// The boxes of examples/mosaic.hpp beside an independent model: which pixels of the row show what is in the box.
#include "mosaic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"

using namespace weir;
using detection::Box;

namespace {

/// First and last + 1 of the pixels along one axis whose middles show a part of the image between two
/// points; nullopt: none.
std::optional<std::array<double, 2>> shown(double part_at, double part_length, double from,
                                           double length, bool mirrored, double low, double high) {
  std::optional<std::array<double, 2>> found;
  for (double pixel = part_at; pixel < part_at + part_length; ++pixel) {
    const double along = (pixel + 0.5 - part_at) / part_length;
    const double source = from + length * (mirrored ? 1 - along : along);
    if (source < low || source >= high) continue;
    if (!found) found = {pixel, pixel};
    (*found)[1] = pixel + 1;
  }
  return found;
}

/// A sample of a row: its window and its only box.
struct Drawn {
  Window window;
  Box box;
};

ImageSize drawn_size(Random& random, std::uint64_t least, std::uint64_t most) {
  const auto side = [&] { return static_cast<std::uint32_t>(least + random.below(most - least)); };
  return {side(), side()};
}

std::array<Drawn, 4> drawn_row(ImageSize row, Random& random, std::uint64_t position) {
  std::array<Drawn, 4> samples;
  for (std::uint32_t i = 0; i < 4; ++i) {
    auto& [window, box] = samples[i];
    const auto image = drawn_size(random, 8, 600);
    Random own(7, i, position);
    window = mosaic::window(
        {.image = image, .row = row, .partner = i, .row_random = Random(8, 0, position)}, own);
    window.image = image;
    const auto part = [&](double whole) { return static_cast<float>(random.uniform(0, whole)); };
    box = {.width = part(image.width), .height = part(image.height), .id = i};
    box.x = part(double(image.width) - box.width);
    box.y = part(double(image.height) - box.height);
  }
  return samples;
}

/// The boxes that the example's transform writes for the row.
std::vector<Box> boxes_of(const std::array<Drawn, 4>& samples, ImageSize row) {
  std::array<std::byte, 4 * sizeof(Box)> room{};
  DecodedSample sample;
  sample.row.shape = row;
  sample.window = samples[0].window;
  sample.annotation = SampleAnnotation(room, 0);
  sample.annotation.assign<Box>(std::span(&samples[0].box, 1));
  std::array<PartnerSample, 3> partners{};
  for (std::size_t k = 0; k < 3; ++k) {
    partners[k].window = samples[k + 1].window;
    partners[k].annotation = std::as_bytes(std::span(&samples[k + 1].box, 1));
  }
  sample.partners = partners;
  mosaic::apply(sample, 1e-9);
  const auto boxes = sample.annotation.as<Box>();
  return {boxes.begin(), boxes.end()};
}

}  // namespace

TEST_CASE("boxes of a mosaic are within half a pixel of their pixels", "[mosaic]") {
  constexpr std::uint64_t rows = 25000;
  Random random(5, 0, 0);
  std::uint64_t compared = 0, hidden = 0, covered = 0;
  double most = 0;
  for (std::uint64_t position = 0; position < rows; ++position) {
    const auto row = drawn_size(random, 8, 64);
    const auto samples = drawn_row(row, random, position);
    const auto boxes = boxes_of(samples, row);
    double area = 0;
    for (const auto& [window, box] : samples) {
      const auto& [source, target, flip, image, turned] = window;
      area += target.width * target.height;
      if (source.x < 0 || source.y < 0 || source.x + source.width > image.width + 1e-9 ||
          source.y + source.height > image.height + 1e-9)
        FAIL("a window shows more than its image");
      const auto across = shown(target.x, target.width, source.x, source.width, flip.horizontal,
                                box.x, double(box.x) + box.width);
      const auto down = shown(target.y, target.height, source.y, source.height, flip.vertical,
                              box.y, double(box.y) + box.height);
      const auto mapped = std::ranges::find(boxes, box.id, &Box::id);
      if (!across || !down) {
        // No middle of a pixel is in it.
        if (mapped != boxes.end() && mapped->width > 1.001 && mapped->height > 1.001)
          FAIL("a box without pixels");
        ++hidden;
        continue;
      }
      if (mapped == boxes.end()) FAIL("a box is missing");
      ++compared;
      for (const double off : {(*across)[0] - mapped->x, (*across)[1] - (mapped->x + mapped->width),
                               (*down)[0] - mapped->y, (*down)[1] - (mapped->y + mapped->height)})
        most = std::max(most, std::abs(off));
    }
    covered += area == double(row.width) * row.height ? 1 : 0;
  }
  CHECK(covered == rows);
  CHECK(compared + hidden == 4 * rows);
  CHECK(compared > rows);
  CHECK(most <= 0.5 + 1e-4);
}
