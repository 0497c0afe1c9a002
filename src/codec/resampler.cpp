#include "codec/resampler.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "codec/arena.hpp"

namespace weir::codec {
namespace {

constexpr std::uint64_t channels = 3;
/// The sum of all weights. Weights of a triangle have 14 fractional bits, and its lines have 7 more
/// than a pixel, so sums stay within 31 bits.
constexpr int bilinear_one = 2048, triangle_one = 1 << 14;

/// The position of an output pixel in the source: between `first` and the next pixel, at the
/// fraction `share`. The precision is that of cv::resize, because it affects the last bit of a
/// weight.
struct Tap {
  std::int64_t first;
  float share;
};

Tap tap_of(std::uint32_t i, double scale, double from) {
  const auto at = static_cast<float>((i + 0.5) * scale - 0.5 + from);
  auto first = static_cast<std::int64_t>(at);
  if (at < static_cast<float>(first)) --first;
  return {first, at - static_cast<float>(first)};
}

double scale_of(double span, std::uint32_t out) { return 1.0 / (out / span); }

/// Rounds halves to even, like lrintf but without a call. Adding 1.5 * 2^23 removes the fraction
/// bits.
std::int16_t weight(float share) {
  constexpr float no_fraction = 12'582'912.f;
  return static_cast<std::int16_t>(share * float{bilinear_one} + no_fraction - no_fraction);
}

std::uint64_t groups_of(std::uint32_t columns) {
  return (columns * channels + group_values - 1) / group_values;
}

/// Whether 64 bytes contain all source pixels of a group of 16 values: at most 6 columns with 5
/// steps between them, and one more pixel on the right.
bool groups_fit(const Resize& resize) {
  return 5 * scale_of(resize.span_x(), resize.out_width) + 2 <= 20;
}

/// One dimension of a Resize.
struct Axis {
  std::uint32_t in, out;
  double from, span;

  double step() const { return span / out; }
  double support() const { return std::max(step(), 1.0); }
  /// Maximum number of source pixels per output pixel.
  std::uint32_t taps() const {
    return std::min(in, static_cast<std::uint32_t>(std::ceil(2 * support())) + 1);
  }
};

Axis across(const Resize& r) { return {r.in_width, r.out_width, r.part.x, r.span_x()}; }
Axis down(const Resize& r) { return {r.in_height, r.out_height, r.part.y, r.span_y()}; }

/// Columns are processed in pairs.
std::uint32_t column_taps(const Resize& resize) {
  return resize.filter == Filter::antialiased
             ? static_cast<std::uint32_t>(round_up(across(resize).taps(), 2))
             : 2;
}
std::uint32_t line_taps(const Resize& resize) {
  return resize.filter == Filter::antialiased ? down(resize).taps() : 2;
}

/// Computes the weights of `taps` source pixels. Returns the index of the first one. Some weights
/// may be 0. Their sum is triangle_one, so that a uniform image does not change.
std::uint32_t weigh(std::uint32_t i, const Axis& axis, std::uint32_t taps, std::int16_t* weights) {
  const double support = axis.support(), centre = axis.from + (i + 0.5) * axis.step();
  const auto low = static_cast<std::uint32_t>(std::max(std::floor(centre - support + 0.5), 0.0));
  const auto high =
      std::min(axis.in, static_cast<std::uint32_t>(std::floor(centre + support + 0.5)));
  const std::uint32_t first = std::min(low, axis.in - std::min(axis.in, taps));
  const auto triangle = [&](std::uint32_t x) {
    return x < low || x >= high ? 0.0 : std::max(0.0, 1 - std::abs(x + 0.5 - centre) / support);
  };
  double sum = 0;
  for (std::uint32_t x = low; x < high; ++x) sum += triangle(x);
  int rest = triangle_one;
  for (std::uint32_t k = 0; k < taps; ++k) {
    weights[k] = static_cast<std::int16_t>(std::lround(triangle(first + k) / sum * triangle_one));
    rest -= weights[k];
  }
  auto* const largest = std::max_element(weights, weights + taps);
  *largest = static_cast<std::int16_t>(*largest + rest);
  return first;
}

struct Layout {
  std::uint64_t offsets, column_weights, line_weights, bases, picks, wide_weights, lines,
      line_values;
  std::uint64_t bytes;
};

Layout layout_of(const Resize& resize) {
  const std::uint64_t columns = resize.out_width;
  const bool by_groups =
      resize.filter == Filter::bilinear && has_group_kernel() && groups_fit(resize);
  const std::uint64_t groups = by_groups ? groups_of(resize.out_width) : 0;
  Layout at{};
  Packing block;
  at.offsets = block.add(columns * sizeof(std::uint32_t));
  at.column_weights = block.add(columns * column_taps(resize) * sizeof(std::int16_t));
  at.line_weights = block.add(line_taps(resize) * sizeof(std::int16_t));
  at.bases = block.add(groups * sizeof(std::uint32_t));
  at.picks = block.add(groups * group_values * 4);
  at.wide_weights = block.add(groups * group_values * 4);
  at.line_values = round_up(columns * channels + overrun, 32);
  at.lines = block.add(line_taps(resize) * at.line_values * sizeof(std::int16_t));
  at.bytes = block.bytes;
  return at;
}

void fill_bilinear(const Resize& resize, Columns& columns) {
  const double scale = scale_of(resize.span_x(), resize.out_width);
  const auto last = static_cast<std::int64_t>(resize.in_width) - 1;
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    auto [first, share] = tap_of(x, scale, resize.part.x);
    if (first < 0 || first >= last) {
      first = std::clamp<std::int64_t>(first, 0, last);
      share = 0;
    }
    const std::size_t i = resize.mirror ? resize.out_width - 1 - x : x;
    columns.offsets[i] = static_cast<std::uint32_t>(first) * channels;
    columns.weights[2 * i] = weight(1.f - share);
    columns.weights[2 * i + 1] = weight(share);
  }
}

void fill_groups(Columns& columns) {
  const std::uint32_t values = columns.count * channels;
  std::uint32_t column = 0, channel = 0;
  for (std::uint32_t g = 0; g < groups_of(columns.count); ++g) {
    const std::uint32_t end = std::min((g + 1) * group_values, values) - 1;
    const std::uint32_t base = std::min(columns.offsets[column], columns.offsets[end / channels]);
    columns.bases[g] = base;
    for (std::uint32_t k = 0; k < group_values; ++k) {
      const std::size_t at = 2 * (std::size_t{g} * group_values + k);
      const bool beyond = column == columns.count;
      const std::uint32_t index = beyond ? 0 : columns.offsets[column] + channel - base;
      for (std::uint32_t side = 0; side < 2; ++side) {
        columns.picks[2 * (at + side)] = static_cast<std::uint8_t>(index + channels * side);
        columns.picks[2 * (at + side) + 1] = 0;
        columns.wide_weights[at + side] =
            beyond ? std::int16_t{0} : columns.weights[2 * std::size_t{column} + side];
      }
      if (!beyond && ++channel == channels) {
        channel = 0;
        ++column;
      }
    }
  }
}

void fill_triangles(const Resize& resize, Columns& columns) {
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    const std::size_t i = resize.mirror ? resize.out_width - 1 - x : x;
    columns.offsets[i] = static_cast<std::uint32_t>(channels) *
                         weigh(x, across(resize), columns.taps, columns.weights + i * columns.taps);
  }
}

}  // namespace

std::uint64_t Resampler::memory_bytes(const Resize& resize) noexcept {
  return layout_of(resize).bytes;
}

Resampler::Resampler(const Resize& resize, std::byte* memory) noexcept : resize_(resize) {
  const Layout at = layout_of(resize);
  columns_ = {.count = resize.out_width,
              .taps = column_taps(resize),
              .offsets = reinterpret_cast<std::uint32_t*>(memory + at.offsets),
              .weights = reinterpret_cast<std::int16_t*>(memory + at.column_weights)};
  weights_ = reinterpret_cast<std::int16_t*>(memory + at.line_weights);
  ring_ = reinterpret_cast<std::int16_t*>(memory + at.lines);
  lines_ = {.ring = ring_, .stride = at.line_values, .count = line_taps(resize)};
  if (resize.filter == Filter::antialiased)
    fill_triangles(resize, columns_);
  else
    fill_bilinear(resize, columns_);
  if (at.bases != at.picks) {
    columns_.bases = reinterpret_cast<std::uint32_t*>(memory + at.bases);
    columns_.picks = reinterpret_cast<std::uint8_t*>(memory + at.picks);
    columns_.wide_weights = reinterpret_cast<std::int16_t*>(memory + at.wide_weights);
    fill_groups(columns_);
  }
  aim();
}

void Resampler::aim() noexcept {
  if (resize_.filter == Filter::antialiased) {
    lines_.first = weigh(row_, down(resize_), lines_.count, weights_);
    last_ = lines_.first + lines_.count - 1;
    return;
  }
  const double scale = scale_of(resize_.span_y(), resize_.out_height);
  const auto [first, share] = tap_of(row_, scale, resize_.part.y);
  const auto end = static_cast<std::int64_t>(resize_.in_height) - 1;
  lines_.first = static_cast<std::uint32_t>(std::clamp<std::int64_t>(first, 0, end));
  last_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(first + 1, 0, end));
  weights_[0] = weight(1.f - share);
  weights_[1] = weight(share);
}

void Resampler::feed(const std::uint8_t* line) noexcept {
  if (fed_ >= lines_.first)
    (resize_.filter == Filter::antialiased ? filter_line : resample_line)(
        columns_, line, ring_ + fed_ % lines_.count * lines_.stride);
  ++fed_;
}

void Resampler::make_row(std::uint8_t* out) noexcept {
  const std::size_t values = resize_.out_width * channels;
  if (resize_.filter == Filter::antialiased)
    filter_rows(lines_, weights_, out, values);
  else
    blend_rows(lines_[0], lines_[last_ - lines_.first], weights_[0], weights_[1], out, values);
  if (++row_ < resize_.out_height) aim();
}

}  // namespace weir::codec
