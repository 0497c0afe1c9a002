#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include <weir/weir.hpp>

#include "boxes.hpp"
#include "copy_part.hpp"

/// Two images blended into one row: Options::partners with one of them.
namespace mixup {

/// A label of the row and its weight in the loss: of one of its boxes, or of an image, whose box is the row.
struct WeightedLabel {
  detection::Box box{};    ///< in pixels of the row; its category is the label
  float weight = 0;        ///< share of its image in the row
  std::int32_t whole = 0;  ///< 1: of an image
};

/// Blends an image into a row: `share` of the row, and the rest of the image. With Fit::random it fills the row.
inline void blend(const weir::MutableImageView& row, const weir::ImageView& other,
                  weir::PixelOffset at, double share) {
  // 16 bits of fraction.
  const auto own = static_cast<std::uint32_t>(share * 65536 + 0.5), rest = 65536 - own;
  for (std::uint32_t y = 0; y < other.shape.height; ++y) {
    auto* const to = row.data + (at.y + y) * row.row_stride + at.x * weir::pixel_bytes(row.format);
    const auto* const from = other.data + y * other.row_stride;
    for (std::size_t i = 0; i < other.line_bytes(); ++i)
      to[i] = static_cast<std::uint8_t>((to[i] * own + from[i] * rest + 32768) >> 16);
  }
}

/// Options::transform, of fitted images of 8 bits. Classes of a mask cannot be blended: the plane "other" gets the
/// mask of the partner, and the loss weighs both.
inline void apply(weir::DecodedSample& sample) {
  const auto& partner = sample.partners.front();
  const double share = sample.random.uniform(0, 1);
  blend(sample.row, partner.image, partner.at, share);
  const auto& mask = partner.planes.front();
  copy_part(mask.image, sample.plane("other").row, mask.at);

  std::vector<WeightedLabel> labels;
  const auto add = [&](std::int64_t label, const weir::Window& window,
                       std::span<const detection::Box> boxes, double weight) {
    const auto w = static_cast<float>(weight);
    labels.push_back({{.width = static_cast<float>(sample.row.shape.width),
                       .height = static_cast<float>(sample.row.shape.height),
                       .category = static_cast<std::int32_t>(label)},
                      w,
                      1});
    for (const auto& box : detection::visible_boxes(window, boxes)) labels.push_back({box, w});
  };
  add(sample.label, sample.window, sample.annotation.as<detection::Box>(), share);
  add(partner.label, partner.window, partner.annotations<detection::Box>(), 1 - share);
  sample.annotation.assign<WeightedLabel>(labels);
}

/// Options with mixup and masks. `most_boxes`: of one image.
inline weir::Options options(weir::ImageSize row, std::uint64_t most_boxes) {
  weir::Options options;
  options.shape = row;
  options.fit = weir::Fit::random;
  options.order = weir::Order::shuffle();
  options.partners.count = 1;
  options.planes = {{.name = "mask", .fill = {255}},
                    {.name = "other", .fill = {255}, .made = true}};
  options.transform = {.apply = apply, .input = weir::TransformInput::fitted};
  options.annotation_bytes = 2 * (most_boxes + 1) * sizeof(WeightedLabel);
  return options;
}

}  // namespace mixup
