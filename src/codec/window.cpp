#include "codec/window.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/checked.hpp"
#include "base/random.hpp"

namespace weir::codec {
namespace {

PixelRect centred(std::uint32_t width, std::uint32_t height, std::uint32_t inner_width,
                  std::uint32_t inner_height) {
  const std::uint32_t w = std::clamp(inner_width, 1u, width),
                      h = std::clamp(inner_height, 1u, height);
  return {(width - w) / 2, (height - h) / 2, w, h};
}

PixelRect center_source(std::uint32_t width, std::uint32_t height, const FitSpec& spec) {
  const std::uint32_t shorter = std::min(width, height);
  return centred(width, height, scaled_side(spec.out.width, shorter, spec.short_side),
                 scaled_side(spec.out.height, shorter, spec.short_side));
}

PixelRect letterbox_target(std::uint32_t width, std::uint32_t height, const FitSpec& spec) {
  const auto& [align, enlarge] = spec.letterbox;
  const ImageSize out = spec.out;
  const bool wide = std::uint64_t{out.width} * height <= std::uint64_t{out.height} * width;
  std::uint32_t across = wide ? out.width : scaled_side(width, out.height, height),
                down = wide ? scaled_side(height, out.width, width) : out.height;
  if (!enlarge && width <= out.width && height <= out.height) {
    across = width;
    down = height;
  }
  PixelRect target = centred(out.width, out.height, across, down);
  if (align == LetterboxOptions::Align::top_left) target.x = target.y = 0;
  return target;
}

/// Where a patch begins in the image, on one side. Nothing if the image is too small.
std::optional<double> patch_begin(std::uint32_t image, std::uint32_t patch, const FitSpec& spec,
                                  RandomStream& random) {
  const std::int64_t padding = spec.patch.padding, grid = spec.grid;
  const std::int64_t room = image + 2 * padding - patch;
  if (room >= 0) {
    const auto steps = static_cast<std::uint64_t>(room / grid) + 1;
    return static_cast<double>(grid * static_cast<std::int64_t>(random.below(steps)) - padding);
  }
  if (!spec.patch.pad_small) return std::nullopt;
  return -static_cast<double>((patch - image) / 2 / grid * grid);
}

/// Empty if the image is too small.
Rect patch_source(std::uint32_t width, std::uint32_t height, const FitSpec& spec,
                  RandomStream& random) {
  const auto y = patch_begin(height, spec.out.height, spec, random);
  const auto x = patch_begin(width, spec.out.width, spec, random);
  if (!x || !y) return {};
  return {*x, *y, double{1} * spec.out.width, double{1} * spec.out.height};
}

constexpr int attempts = 10;

/// Random resized crop as in torchvision's documentation. Draws area and aspect until the rectangle
/// is inside the image; otherwise uses the largest centred rectangle with an allowed aspect.
PixelRect random_source(std::uint32_t width, std::uint32_t height, const RandomOptions& range,
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

/// One side of a crop.
struct Side {
  double from, span;
  std::uint32_t first, count;
};

/// Pixels of the row from `first` for `count` show the file's pixels from `from` for `span`.
Side crop_side(double from, double span, double first, double count, bool mirrored,
               std::uint32_t file) noexcept {
  const double step = span / count;
  // A mirrored row is the mirror of one that is not. Its coordinates run against those of the row.
  const double begin = mirrored ? -(first + count) : first;
  // A pixel whose centre is at an edge is inside, so that the mirror of a pixel is inside, too.
  constexpr double half = 0.5 + 1e-9;
  const double low = std::ceil(std::max(begin, begin - from / step) - half);
  const double high = std::floor(std::min(begin + count, begin + (file - from) / step) + half);
  if (!(low < high)) return {};
  const bool exact = low == begin && high == begin + count;
  return {exact ? from : from + (low - begin) * step, exact ? span : (high - low) * step,
          static_cast<std::uint32_t>(mirrored ? -high : low),
          static_cast<std::uint32_t>(high - low)};
}

}  // namespace

Crop crop_of(const Window& window, ImageSize file, Ratio scale, bool exact) noexcept {
  const auto& [source, target, flip, image, orientation] = window;
  if (window.empty()) return {};
  const double up = scale.numerator, down = scale.denominator;
  const auto side = [&](double from, double span, double first, double count, bool mirrored,
                        std::uint32_t image_side, std::uint32_t file_side) {
    const double ratio = double{1} * file_side / image_side;
    const auto in_file = [&](double at) { return exact ? at * up / down : at * ratio; };
    return crop_side(in_file(from), in_file(span), first * up / down, count * up / down, mirrored,
                     file_side);
  };
  const auto x = side(source.x, source.width, target.x, target.width, flip.horizontal, image.width,
                      file.width);
  const auto y = side(source.y, source.height, target.y, target.height, flip.vertical, image.height,
                      file.height);
  if (x.count == 0 || y.count == 0) return {};
  return {.source = {x.from, y.from, x.span, y.span},
          .target = {x.first, y.first, x.count, y.count},
          .flip = flip};
}

Window choose_window(ImageSize image, const FitSpec& spec, std::uint64_t draw) {
  const auto [height, width] = image;
  RandomStream random(draw);
  const bool crops = spec.fit == Fit::random && spec.into.width == 0;
  Window view{.source = PixelRect{0, 0, width, height},
              .target = PixelRect{0, 0, spec.out.width, spec.out.height},
              .flip = {},
              .image = image};
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
    case Fit::patch: view.source = patch_source(width, height, spec, random); break;
    case Fit::stretch:
    case Fit::random: break;
  }
  return view;
}

}  // namespace weir::codec
