#include "codec/antialias.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"
#include "codec/arena.hpp"

namespace weir::codec {
namespace {

constexpr std::uint64_t channels = 3;
/// Weights have 14 bits behind the point, lines 7 more than a pixel: sums stay within 31 bits.
constexpr int weight_one = 1 << 14;

/// One side of a Resize.
struct Axis {
  std::uint32_t in, out;
  double from, span;

  double step() const { return span / out; }
  double support() const { return std::max(step(), 1.0); }
  /// Most source places that one place of the output is made of.
  std::uint32_t taps() const {
    return std::min(in, static_cast<std::uint32_t>(std::ceil(2 * support())) + 1);
  }
};

Axis across(const Resize& r) { return {r.in_width, r.out_width, r.from_x(), r.span_x()}; }
Axis down(const Resize& r) { return {r.in_height, r.out_height, r.from_y(), r.span_y()}; }

/// Columns are taken in pairs.
std::uint32_t column_taps(const Resize& resize) {
  return static_cast<std::uint32_t>(round_up(across(resize).taps(), 2));
}

/// Weights of the `taps` source places from the one returned on, of which some may be 0. They sum to
/// weight_one, so that a flat image stays what it is.
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
  int rest = weight_one;
  for (std::uint32_t k = 0; k < taps; ++k) {
    weights[k] = static_cast<std::int16_t>(std::lround(triangle(first + k) / sum * weight_one));
    rest -= weights[k];
  }
  auto* const largest = std::max_element(weights, weights + taps);
  *largest = static_cast<std::int16_t>(*largest + rest);
  return first;
}

struct Layout {
  std::uint64_t offsets, column_weights, weights, lines, line_values, bytes;
};

Layout layout_of(const Resize& resize) {
  const std::uint64_t columns = resize.out_width, taps = down(resize).taps();
  Layout at{};
  Packing block;
  at.offsets = block.add(columns * sizeof(std::uint32_t));
  at.column_weights = block.add(columns * column_taps(resize) * sizeof(std::int16_t));
  at.weights = block.add(taps * sizeof(std::int16_t));
  at.line_values = round_up(columns * channels + 8, 32);
  at.lines = block.add(taps * at.line_values * sizeof(std::int16_t));
  at.bytes = block.bytes;
  return at;
}

}  // namespace

std::uint64_t AntialiasResampler::memory_bytes(const Resize& resize) noexcept {
  return layout_of(resize).bytes;
}

AntialiasResampler::AntialiasResampler(const Resize& resize, std::byte* memory) noexcept
    : resize_(resize) {
  const Layout at = layout_of(resize);
  columns_ = {.count = resize.out_width,
              .taps = column_taps(resize),
              .offsets = reinterpret_cast<std::uint32_t*>(memory + at.offsets),
              .weights = reinterpret_cast<std::int16_t*>(memory + at.column_weights)};
  weights_ = reinterpret_cast<std::int16_t*>(memory + at.weights);
  ring_ = reinterpret_cast<std::int16_t*>(memory + at.lines);
  lines_ = {.ring = ring_, .stride = at.line_values, .count = down(resize).taps()};
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    const std::uint32_t i = resize.mirror ? resize.out_width - 1 - x : x;
    columns_.offsets[i] =
        static_cast<std::uint32_t>(channels) *
        weigh(x, across(resize), columns_.taps, columns_.weights + std::size_t{i} * columns_.taps);
  }
  aim();
}

void AntialiasResampler::aim() noexcept {
  lines_.first = weigh(row_, down(resize_), lines_.count, weights_);
}

void AntialiasResampler::feed(const std::uint8_t* line) noexcept {
  if (fed_ >= lines_.first)
    filter_line(columns_, line, ring_ + fed_ % lines_.count * lines_.stride);
  ++fed_;
}

void AntialiasResampler::make_row(std::uint8_t* out) noexcept {
  filter_rows(lines_, weights_, out, resize_.out_width * channels);
  if (++row_ < resize_.out_height) aim();
}

}  // namespace weir::codec
