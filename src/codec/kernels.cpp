#include "codec/kernels.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstring>

#include "base/checked.hpp"

namespace weir::codec {
namespace {

/// Stores column x of the output; the columns of a mirrored output run from right to left.
std::size_t place_of(const Resize& resize, std::uint32_t x) {
  return resize.mirror ? resize.out_width - 1 - x : x;
}

// Bilinear, 8 bits: the bits of cv::resize with INTER_LINEAR. Weights of 11 bits, columns before
// rows.

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
  constexpr float one = 2048, no_fraction = 12'582'912.f;
  return static_cast<std::int16_t>(share * one + no_fraction - no_fraction);
}

std::uint32_t two_taps(const Resize&) { return 2; }

template <std::uint32_t channels>
void fill_groups(Columns& columns) {
  const std::uint32_t values = columns.count * channels;
  std::uint32_t column = 0, channel = 0;
  for (std::uint32_t first = 0; first < values; first += group_values) {
    const std::uint32_t g = first / group_values;
    const std::uint32_t end = std::min(first + group_values, values) - 1;
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
            beyond ? std::int16_t{0} : columns.weights_of<std::int16_t>(column)[side];
      }
      if (!beyond && ++channel == channels) {
        channel = 0;
        ++column;
      }
    }
  }
}

/// Whether the machine has the kernel, and 64 bytes contain all source pixels of a group of 16
/// values and one more pixel on the right.
template <std::uint32_t channels>
bool groups_fit(const Resize& resize) {
  constexpr std::uint32_t steps = (group_values + channels - 2) / channels,
                          pixels = 64 / channels - 1;
  return has_group_kernel() && steps * scale_of(resize.span_x(), resize.out_width) + 2 <= pixels;
}

template <std::uint32_t channels>
void aim_bilinear_columns(const Resize& resize, Columns& columns) {
  const double scale = scale_of(resize.span_x(), resize.out_width);
  const auto last = static_cast<std::int64_t>(resize.in_width) - 1;
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    auto [first, share] = tap_of(x, scale, resize.part.x);
    if (first < 0 || first >= last) {
      first = std::clamp<std::int64_t>(first, 0, last);
      share = 0;
    }
    const std::size_t i = place_of(resize, x);
    columns.offsets[i] = static_cast<std::uint32_t>(first) * channels;
    columns.weights_of<std::int16_t>(i)[0] = weight(1.f - share);
    columns.weights_of<std::int16_t>(i)[1] = weight(share);
  }
  if (columns.bases != nullptr) fill_groups<channels>(columns);
}

void aim_bilinear_lines(const Resize& resize, std::uint32_t row, Lines& lines, std::byte* memory) {
  if (row == 0) lines.step = scale_of(resize.span_y(), resize.out_height);
  const auto [first, share] = tap_of(row, lines.step, resize.part.y);
  const auto end = static_cast<std::int64_t>(resize.in_height) - 1;
  lines.first = static_cast<std::uint32_t>(std::clamp<std::int64_t>(first, 0, end));
  lines.last = static_cast<std::uint32_t>(std::clamp<std::int64_t>(first + 1, 0, end));
  auto* const weights = reinterpret_cast<std::int16_t*>(memory);
  weights[0] = weight(1.f - share);
  weights[1] = weight(share);
}

template <std::uint32_t channels>
constexpr Kernel bilinear8{
    .channels = channels,
    .value_bytes = 1,
    .filter = Filter::bilinear,
    .weight_bytes = sizeof(std::int16_t),
    .sum_bytes = sizeof(std::int16_t),
    .column_taps = two_taps,
    .line_taps = two_taps,
    .aim_columns = aim_bilinear_columns<channels>,
    .aim_lines = aim_bilinear_lines,
    .resample =
        [](const Columns& columns, const std::uint8_t* line, std::byte* out) {
          auto* const sums = reinterpret_cast<std::int16_t*>(out);
          if (columns.bases != nullptr)
            resample_groups(columns, channels, line, sums);
          else
            vector_kernels().resample_line[channels](columns, line, sums);
        },
    .combine =
        [](const Lines& lines, const std::byte* memory, std::uint8_t* out, std::size_t values) {
          const auto* const weights = reinterpret_cast<const std::int16_t*>(memory);
          vector_kernels().blend_rows(lines.line<std::int16_t>(0),
                                      lines.line<std::int16_t>(lines.last - lines.first),
                                      weights[0], weights[1], out, values);
        },
    .by_groups = groups_fit<channels>};

// The triangle filter. If a step of the output is larger than one of the source, `antialiased` has a
// triangle of that width, so that every pixel counts. `bilinear` is a triangle of one step.

/// One dimension of a Resize.
struct Axis {
  std::uint32_t in, out;
  double from, span;
  Filter filter;

  double step() const { return span / out; }
  double support() const { return filter == Filter::antialiased ? std::max(step(), 1.0) : 1.0; }
  /// Maximum number of source pixels per output pixel.
  std::uint32_t taps() const {
    const auto whole = static_cast<std::uint32_t>(std::ceil(2 * support()));
    return std::min(in, filter == Filter::antialiased ? whole + 1 : whole);
  }
};

Axis across(const Resize& r) { return {r.in_width, r.out_width, r.part.x, r.span_x(), r.filter}; }
Axis down(const Resize& r) { return {r.in_height, r.out_height, r.part.y, r.span_y(), r.filter}; }

/// The sum of all weights. Sums of weighted pixels and lines stay within 31 bits with 8-bit values:
/// a line has 7 more bits than a pixel. With 16-bit values it has 14 more, and sums have 60 bits.
template <class Weight>
constexpr int one = sizeof(Weight) == 2 ? 1 << 14 : 1 << 30;

/// The part of `one` that the largest weight may get for the rounding of the others: below two grey
/// levels. More is left only where thousands of pixels make one.
constexpr int most_rest = 128;

/// Computes the weights of `taps` source pixels. Returns the index of the first one. Some weights
/// may be 0. Their sum is `one`, so that a uniform image does not change.
template <class Weight>
std::uint32_t weigh(std::uint32_t i, const Axis& axis, std::uint32_t taps, Weight* weights) {
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
  int rest = one<Weight>;
  for (std::uint32_t k = 0; k < taps; ++k) {
    weights[k] = static_cast<Weight>(std::lround(triangle(first + k) / sum * one<Weight>));
    rest -= weights[k];
  }
  if (std::abs(rest) > one<Weight> / most_rest) {
    // Each weight has the rounding error of those before it, so that no pixel gets the rest of all.
    double wanted = 0;
    for (int k = 0, given = 0; k < static_cast<int>(taps); ++k) {
      wanted += triangle(first + static_cast<std::uint32_t>(k)) / sum * one<Weight>;
      weights[k] = static_cast<Weight>(std::lround(wanted) - given);
      given += weights[k];
    }
    return first;
  }
  auto* const largest = std::max_element(weights, weights + taps);
  *largest = static_cast<Weight>(*largest + rest);
  return first;
}

template <std::uint32_t channels, class Weight>
void aim_triangle_columns(const Resize& resize, Columns& columns) {
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    const std::size_t i = place_of(resize, x);
    columns.offsets[i] =
        channels * weigh(x, across(resize), columns.taps, columns.weights_of<Weight>(i));
  }
}

template <class Weight>
void aim_triangle_lines(const Resize& resize, std::uint32_t row, Lines& lines, std::byte* memory) {
  lines.first = weigh(row, down(resize), lines.count, reinterpret_cast<Weight*>(memory));
  lines.last = lines.first + lines.count - 1;
}

std::uint32_t taps_across(const Resize& resize) { return across(resize).taps(); }
std::uint32_t taps_down(const Resize& resize) { return down(resize).taps(); }

/// Columns are processed in pairs.
std::uint32_t paired_taps_across(const Resize& resize) {
  return static_cast<std::uint32_t>(round_up(taps_across(resize), 2));
}

template <std::uint32_t channels>
constexpr Kernel antialiased8{
    .channels = channels,
    .value_bytes = 1,
    .filter = Filter::antialiased,
    .weight_bytes = sizeof(std::int16_t),
    .sum_bytes = sizeof(std::int16_t),
    .column_taps = paired_taps_across,
    .line_taps = taps_down,
    .aim_columns = aim_triangle_columns<channels, std::int16_t>,
    .aim_lines = aim_triangle_lines<std::int16_t>,
    .resample =
        [](const Columns& columns, const std::uint8_t* line, std::byte* out) {
          vector_kernels().filter_line[channels](columns, line,
                                                 reinterpret_cast<std::int16_t*>(out));
        },
    .combine =
        [](const Lines& lines, const std::byte* weights, std::uint8_t* out, std::size_t values) {
          vector_kernels().filter_rows(lines, reinterpret_cast<const std::int16_t*>(weights), out,
                                       values);
        }};

// 16 bits, either filter. Sums are exact integers, so all machines and compilers give the same bits.

constexpr int line_shift = 16, rows_shift = 44;

std::uint16_t load16(const std::uint8_t* value) {
  std::uint16_t loaded;
  std::memcpy(&loaded, value, sizeof loaded);
  return loaded;
}

template <std::uint32_t channels>
void filter_line16(const Columns& columns, const std::uint8_t* line, std::byte* out) {
  auto* sums = reinterpret_cast<std::int32_t*>(out);
  for (std::size_t i = 0; i < columns.count; ++i) {
    const auto* const weights = columns.weights_of<std::int32_t>(i);
    std::array<std::int64_t, channels> sum;
    sum.fill(std::int64_t{1} << (line_shift - 1));
    const std::uint8_t* value = line + std::size_t{2} * columns.offsets[i];
    for (std::uint32_t k = 0; k < columns.taps; ++k)
      for (auto& channel : sum) {
        channel += std::int64_t{load16(value)} * weights[k];
        value += 2;
      }
    for (const auto channel : sum) *sums++ = static_cast<std::int32_t>(channel >> line_shift);
  }
}

void filter_rows16(const Lines& lines, const std::byte* memory, std::uint8_t* out,
                   std::size_t values) {
  constexpr std::size_t at_once = 64;
  const auto* const weights = reinterpret_cast<const std::int32_t*>(memory);
  for (std::size_t first = 0; first < values; first += at_once) {
    const std::size_t count = std::min(at_once, values - first);
    std::array<std::int64_t, at_once> sums;
    sums.fill(std::int64_t{1} << (rows_shift - 1));
    for (std::uint32_t k = 0; k < lines.count; ++k) {
      const auto* const line = lines.line<std::int32_t>(k) + first;
      for (std::size_t i = 0; i < count; ++i) sums[i] += std::int64_t{line[i]} * weights[k];
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = static_cast<std::uint16_t>(sums[i] >> rows_shift);
      std::memcpy(out + 2 * (first + i), &value, sizeof value);
    }
  }
}

template <std::uint32_t channels, Filter filter_>
constexpr Kernel triangle16{.channels = channels,
                            .value_bytes = 2,
                            .filter = filter_,
                            .weight_bytes = sizeof(std::int32_t),
                            .sum_bytes = sizeof(std::int32_t),
                            .column_taps = taps_across,
                            .line_taps = taps_down,
                            .aim_columns = aim_triangle_columns<channels, std::int32_t>,
                            .aim_lines = aim_triangle_lines<std::int32_t>,
                            .resample = filter_line16<channels>,
                            .combine = filter_rows16};

// Nearest: one column and one line for each pixel, and no weight.

/// The source pixel at the middle of pixel i of the output, in upright coordinates. The division of
/// whole numbers is exact where its result is one.
std::uint32_t nearest(std::uint32_t i, std::uint32_t in, std::uint32_t out, double from,
                      double span, bool reverse) {
  const std::uint32_t upright = reverse ? out - 1 - i : i;
  const double middle = from + (2.0 * upright + 1) * span / (2.0 * out);
  const auto at = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(middle)), 0, in - 1));
  return reverse ? in - 1 - at : at;
}

void aim_nearest_columns(const Resize& resize, Columns& columns) {
  for (std::uint32_t x = 0; x < resize.out_width; ++x)
    columns.offsets[place_of(resize, x)] = nearest(
        x, resize.in_width, resize.out_width, resize.part.x, resize.span_x(), resize.reverse_x);
}

void aim_nearest_lines(const Resize& resize, std::uint32_t row, Lines& lines, std::byte*) {
  lines.first = lines.last = nearest(row, resize.in_height, resize.out_height, resize.part.y,
                                     resize.span_y(), resize.reverse_y);
}

std::uint32_t one_tap(const Resize&) { return 1; }

template <std::uint32_t bytes>
constexpr Kernel nearest1{
    .channels = 1,
    .value_bytes = bytes,
    .filter = Filter::nearest,
    .weight_bytes = 0,
    .sum_bytes = bytes,
    .column_taps = one_tap,
    .line_taps = one_tap,
    .aim_columns = aim_nearest_columns,
    .aim_lines = aim_nearest_lines,
    .resample =
        [](const Columns& columns, const std::uint8_t* line, std::byte* out) {
          for (std::size_t i = 0; i < columns.count; ++i)
            std::memcpy(out + bytes * i, line + std::size_t{bytes} * columns.offsets[i], bytes);
        },
    .combine = [](const Lines& lines, const std::byte*, std::uint8_t* out,
                  std::size_t values) { std::memcpy(out, lines.at(lines.first), bytes * values); }};

constinit const Kernel kernels[] = {nearest1<1>,
                                    nearest1<2>,
                                    bilinear8<1>,
                                    bilinear8<3>,
                                    bilinear8<4>,
                                    antialiased8<1>,
                                    antialiased8<3>,
                                    antialiased8<4>,
                                    triangle16<1, Filter::bilinear>,
                                    triangle16<3, Filter::bilinear>,
                                    triangle16<1, Filter::antialiased>,
                                    triangle16<3, Filter::antialiased>};

}  // namespace

const Kernel& kernel_of(PixelFormat format, Filter filter) noexcept {
  const auto* const found = std::ranges::find_if(kernels, [&](const Kernel& kernel) {
    return kernel.channels == channels_of(format) && kernel.value_bytes == value_bytes(format) &&
           kernel.filter == filter;
  });
  assert(found != std::end(kernels));
  return *found;
}

}  // namespace weir::codec
