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

Rect letterbox_target(std::uint32_t width, std::uint32_t height, const FitSpec& spec) {
  const auto& [align, enlarge] = spec.letterbox;
  const ImageSize out = spec.out;
  const bool wide = std::uint64_t{out.width} * height <= std::uint64_t{out.height} * width;
  std::uint32_t across = wide ? out.width : scaled(width, out.height, height),
                down = wide ? scaled(height, out.width, width) : out.height;
  if (!enlarge && width <= out.width && height <= out.height) {
    across = width;
    down = height;
  }
  Rect target = centred(out.width, out.height, across, down);
  if (align == LetterboxOptions::Align::top_left) target.x = target.y = 0;
  return target;
}

/// One side of a patch: the pixels of the image that it shows, and their place in the row.
struct Strip {
  std::uint32_t source, target, count;
};

/// Nothing if the image is too small.
Strip patch_side(std::uint32_t image, std::uint32_t patch, const FitSpec& spec,
                 RandomStream& random) {
  const std::int64_t padding = spec.patch.padding, grid = spec.grid;
  const std::int64_t room = image + 2 * padding - patch;
  std::int64_t from = 0;
  if (room >= 0) {
    const auto steps = static_cast<std::uint64_t>(room / grid) + 1;
    from = grid * static_cast<std::int64_t>(random.below(steps)) - padding;
  } else if (spec.patch.pad_small) {
    from = -((patch - image) / 2 / grid * grid);
  } else {
    return {};
  }
  const auto low = std::max<std::int64_t>(from, 0);
  const auto high = std::min<std::int64_t>(from + patch, image);
  return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(low - from),
          static_cast<std::uint32_t>(high - low)};
}

/// The whole patch is mirrored, its padding too.
Window patch_window(std::uint32_t width, std::uint32_t height, const FitSpec& spec, Flip flip,
                    RandomStream& random) {
  const auto y = patch_side(height, spec.out.height, spec, random);
  const auto x = patch_side(width, spec.out.width, spec, random);
  if (x.count == 0 || y.count == 0) return {};
  const auto left = flip.horizontal ? spec.out.width - x.target - x.count : x.target;
  const auto top = flip.vertical ? spec.out.height - y.target - y.count : y.target;
  return {.source = Rect{x.source, y.source, x.count, y.count},
          .target = {left, top, x.count, y.count},
          .flip = flip};
}

constexpr int attempts = 10;

/// Random resized crop as in torchvision's documentation. Draws area and aspect until the rectangle
/// is inside the image; otherwise uses the largest centred rectangle with an allowed aspect.
Rect random_source(std::uint32_t width, std::uint32_t height, const RandomOptions& range,
                   RandomStream& random) {
  const double w = width, h = height;
  const auto [least_area, most_area] = range.area;
  const auto [least, most] = range.aspect;
  for (int i = 0; i < attempts; ++i) {
    const double area = w * h * random.uniform(least_area, most_area);
    const double ratio = std::exp(random.uniform(std::log(least), std::log(most)));
    const double crop_w = std::round(std::sqrt(area * ratio)),
                 crop_h = std::round(std::sqrt(area / ratio));
    if (crop_w < 1 || crop_h < 1 || crop_w > w || crop_h > h) continue;
    const auto cw = static_cast<std::uint32_t>(crop_w), ch = static_cast<std::uint32_t>(crop_h);
    const auto y = static_cast<std::uint32_t>(random.below(std::uint64_t{height} - ch + 1));
    const auto x = static_cast<std::uint32_t>(random.below(std::uint64_t{width} - cw + 1));
    return {x, y, cw, ch};
  }
  const auto side = [](double pixels) { return static_cast<std::uint32_t>(pixels + 0.5); };
  if (w < h * least) return centred(width, height, width, side(w / least));
  if (w > h * most) return centred(width, height, side(h * most), height);
  return {0, 0, width, height};
}

/// One side of a window, for a plane.
struct Side {
  double from, span;
  std::uint32_t first, count;
};

Side plane_side(double from, double span, std::uint32_t first, std::uint32_t count,
                std::uint32_t image, std::uint32_t plane, Ratio scale) noexcept {
  const std::uint64_t up = scale.numerator, down = scale.denominator;
  const double ratio = double{1} * plane / image;
  // The first pixel whose centre is at the scaled edge or behind it: ceil(edge up / down - 1/2).
  const auto inside = [&](std::uint64_t edge) { return (2 * edge * up + down - 1) / (2 * down); };
  const auto low = inside(first), high = inside(std::uint64_t{first} + count);
  const Side exact{from * ratio, span * ratio, static_cast<std::uint32_t>(low),
                   static_cast<std::uint32_t>(high - low)};
  if (low * down == first * up && high * down == (std::uint64_t{first} + count) * up) return exact;
  // The target has other edges than the scaled one, so the source moves with them.
  const double step = span * ratio * static_cast<double>(down) /
                      (static_cast<double>(count) * static_cast<double>(up));
  const double begin = static_cast<double>(low) - static_cast<double>(first) *
                                                      static_cast<double>(up) /
                                                      static_cast<double>(down);
  return {from * ratio + begin * step, static_cast<double>(high - low) * step, exact.first,
          exact.count};
}

}  // namespace

Window plane_window(const Window& window, ImageSize image, ImageSize plane, Ratio scale) noexcept {
  const auto& [source, target, flip] = window;
  const auto x =
      plane_side(source.x, source.width, target.x, target.width, image.width, plane.width, scale);
  const auto y = plane_side(source.y, source.height, target.y, target.height, image.height,
                            plane.height, scale);
  return {.source = {x.from, y.from, x.span, y.span},
          .target = {x.first, y.first, x.count, y.count},
          .flip = flip};
}

Window choose_window(ImageSize image, const FitSpec& spec, std::uint64_t draw) {
  const auto [height, width] = image;
  RandomStream random(draw);
  const bool crops = spec.fit == Fit::random && spec.into.width == 0;
  Window view{.source = Rect{0, 0, width, height},
              .target = {0, 0, spec.out.width, spec.out.height}};
  view.flip.horizontal =
      random.uniform() < spec.flip.horizontal.value_or(spec.fit == Fit::random ? 0.5 : 0);
  if (crops) view.source = random_source(width, height, spec.random, random);
  view.flip.vertical = spec.flip.vertical > 0 && random.uniform() < spec.flip.vertical;
  if (spec.into.width > 0) {
    view.target = spec.into;
    return view;
  }
  switch (spec.fit) {
    case Fit::center: view.source = center_source(width, height, spec); break;
    case Fit::letterbox: view.target = letterbox_target(width, height, spec); break;
    case Fit::patch: return patch_window(width, height, spec, view.flip, random);
    case Fit::stretch:
    case Fit::random: break;
  }
  return view;
}

}  // namespace weir::codec
