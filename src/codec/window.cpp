#include "codec/window.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"

namespace weir::codec {
namespace {

/// round(a * b / c), halves up, in integers, so that all platforms give the same result.
std::uint32_t scaled(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  return static_cast<std::uint32_t>((2 * a * b + c) / (2 * c));
}

Rect centred(std::uint32_t width, std::uint32_t height, std::uint32_t inner_width,
             std::uint32_t inner_height) {
  const std::uint32_t w = std::clamp(inner_width, 1u, width),
                      h = std::clamp(inner_height, 1u, height);
  return {(width - w) / 2, (height - h) / 2, w, h};
}

Rect center_source(std::uint32_t width, std::uint32_t height, const FitSpec& spec) {
  const std::uint32_t shorter = std::min(width, height);
  return centred(width, height, scaled(spec.out.width, shorter, spec.short_side),
                 scaled(spec.out.height, shorter, spec.short_side));
}

Rect letterbox_target(std::uint32_t width, std::uint32_t height, ImageSize out) {
  const bool wide = std::uint64_t{out.width} * height <= std::uint64_t{out.height} * width;
  return wide ? centred(out.width, out.height, out.width, scaled(height, out.width, width))
              : centred(out.width, out.height, scaled(width, out.height, height), out.height);
}

constexpr double min_scale = 0.08, max_scale = 1.0;
constexpr double min_ratio = 3.0 / 4.0, max_ratio = 4.0 / 3.0;
constexpr int attempts = 10;

/// Random resized crop as in torchvision's documentation. Draws area and aspect until the rectangle
/// is inside the image; otherwise uses the largest centred rectangle with an allowed aspect.
Rect random_source(std::uint32_t width, std::uint32_t height, RandomStream& random) {
  const double w = width, h = height;
  for (int i = 0; i < attempts; ++i) {
    const double area = w * h * random.uniform(min_scale, max_scale);
    const double ratio = std::exp(random.uniform(std::log(min_ratio), std::log(max_ratio)));
    const double crop_w = std::round(std::sqrt(area * ratio)),
                 crop_h = std::round(std::sqrt(area / ratio));
    if (crop_w < 1 || crop_h < 1 || crop_w > w || crop_h > h) continue;
    const auto cw = static_cast<std::uint32_t>(crop_w), ch = static_cast<std::uint32_t>(crop_h);
    const auto y = static_cast<std::uint32_t>(random.below(std::uint64_t{height} - ch + 1));
    const auto x = static_cast<std::uint32_t>(random.below(std::uint64_t{width} - cw + 1));
    return {x, y, cw, ch};
  }
  if (w < h * min_ratio) return centred(width, height, width, scaled(width, 4, 3));
  if (w > h * max_ratio) return centred(width, height, scaled(height, 4, 3), height);
  return {0, 0, width, height};
}

}  // namespace

Window choose_window(ImageSize image, const FitSpec& spec, std::uint64_t draw) {
  const auto [height, width] = image;
  if (spec.into.width > 0) return {.source = {0, 0, width, height}, .target = spec.into};
  Window view{.source = {0, 0, width, height}, .target = {0, 0, spec.out.width, spec.out.height}};
  switch (spec.fit) {
    case Fit::center: view.source = center_source(width, height, spec); break;
    case Fit::letterbox: view.target = letterbox_target(width, height, spec.out); break;
    case Fit::stretch: break;
    case Fit::random: {
      RandomStream random(draw);
      view.flip = random.uniform() < 0.5;
      view.source = random_source(width, height, random);
      break;
    }
  }
  return view;
}

}  // namespace weir::codec
