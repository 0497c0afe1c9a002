// docs/guide/annotations.md: boxes that belong to images.
#include <cstdint>
#include <cstdio>
#include <span>
#include <utility>
#include <vector>
#include <weir/weir.hpp>

namespace {

constexpr std::uint32_t side = 32;

struct Box {
  double x, y, width, height;  // in pixels of the upright image
  std::int64_t label;
};

weir::Loader detection(weir::AnySource images, const std::vector<std::vector<Box>>& boxes) {
  return weir::Loader(weir::with_annotations(std::move(images), boxes),
                      {.shape = {side, side},
                       .fit = weir::Fit::random,
                       .annotation_bytes = weir::ByteBound::measured,
                       .batch = 4});
}

void drop_small_boxes(weir::DecodedSample& sample) {
  std::vector<Box> kept;
  for (const auto& box : sample.annotation.as<Box>())
    if (box.width * box.height >= 16) kept.push_back(box);
  sample.annotation.assign(std::span<const Box>(kept));
}

}  // namespace

int main() {
  // Image i has i boxes; each second one is small.
  std::vector<std::vector<Box>> boxes(8);
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      boxes[i].push_back({4.0 * static_cast<double>(k), 10, k % 2 == 0 ? 20.0 : 2.0, 4,
                          static_cast<std::int64_t>(k)});
  const auto images = weir::synthetic(boxes.size(), {60, 80});
  std::size_t all = 0;
  auto loader = detection(images, boxes);
  for (auto& batch : loader.stream({.epochs = 1}))
    for (std::uint32_t row = 0; row < batch.size(); ++row)
      all += batch.annotations<Box>(row).size();
  weir::Loader large(
      weir::with_annotations(images, boxes),
      {.shape = {side, side},
       .annotation_bytes = weir::ByteBound::measured,
       .batch = 8,
       .transform = {.apply = drop_small_boxes, .input = weir::TransformInput::fitted}});
  std::size_t kept = 0;
  for (auto& batch : large.stream({.epochs = 1}))
    for (std::uint32_t row = 0; row < batch.size(); ++row)
      kept += batch.annotations<Box>(row).size();
  std::printf("%zu boxes, %zu large ones\n", all, kept);
  return all == 28 && kept == 16 ? 0 : 1;
}
