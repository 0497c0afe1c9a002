#include "codec/resampler.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "codec/arena.hpp"

namespace weir::codec {
namespace {

constexpr std::uint64_t channels = 3;

/// Where a place of the output lies in the source: between `first` and the next, `share` of the way.
/// In the precision of cv::resize, on which the last bit of a weight depends.
struct Place {
  std::int64_t first;
  float share;
};

Place place_of(std::uint32_t i, double scale, double from) {
  const auto at = static_cast<float>((i + 0.5) * scale - 0.5 + from);
  auto first = static_cast<std::int64_t>(at);
  if (at < static_cast<float>(first)) --first;
  return {first, at - static_cast<float>(first)};
}

double scale_of(double span, std::uint32_t out) { return 1.0 / (out / span); }

/// Rounded, halves to even, as lrintf does it but without the call: 1.5 * 2^23 leaves no place for
/// fractions.
std::int16_t weight(float share) {
  constexpr float no_fraction = 12'582'912.f;
  return static_cast<std::int16_t>(share * float{Resampler::weight_sum} + no_fraction -
                                   no_fraction);
}

std::uint64_t groups_of(std::uint32_t columns) {
  return (columns * channels + group_values - 1) / group_values;
}

/// 64 bytes hold what a group of 16 values is made of: 6 columns at most, which lie 5 steps apart,
/// and one pixel more on the right.
bool groups_fit(const Resize& resize) {
  return 5 * scale_of(resize.span_x(), resize.out_width) + 2 <= 20;
}

struct Layout {
  std::uint64_t offsets, weights, bases, picks, wide_weights, lines, line_bytes, bytes;
};

Layout layout_of(const Resize& resize) {
  const std::uint64_t columns = resize.out_width;
  const std::uint64_t groups =
      has_group_kernel() && groups_fit(resize) ? groups_of(resize.out_width) : 0;
  Layout at{};
  Packing block;
  at.offsets = block.add(columns * sizeof(std::uint32_t));
  at.weights = block.add(columns * 2 * sizeof(std::int16_t));
  at.bases = block.add(groups * sizeof(std::uint32_t));
  at.picks = block.add(groups * group_values * 4);
  at.wide_weights = block.add(groups * group_values * 4);
  at.line_bytes = round_up((columns * channels + overrun) * sizeof(std::int16_t), Arena::alignment);
  at.lines = block.add(2 * at.line_bytes);
  at.bytes = block.bytes;
  return at;
}

void fill_columns(const Resize& resize, Columns& columns) {
  const double scale = scale_of(resize.span_x(), resize.out_width);
  const auto last = static_cast<std::int64_t>(resize.in_width) - 1;
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    auto [first, share] = place_of(x, scale, resize.from_x());
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
      const std::uint32_t place = beyond ? 0 : columns.offsets[column] + channel - base;
      for (std::uint32_t side = 0; side < 2; ++side) {
        columns.picks[2 * (at + side)] = static_cast<std::uint8_t>(place + channels * side);
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

}  // namespace

std::uint64_t Resampler::memory_bytes(const Resize& resize) noexcept {
  return layout_of(resize).bytes;
}

Resampler::Resampler(const Resize& resize, std::byte* memory) noexcept : resize_(resize) {
  const Layout at = layout_of(resize);
  columns_.count = resize.out_width;
  columns_.offsets = reinterpret_cast<std::uint32_t*>(memory + at.offsets);
  columns_.weights = reinterpret_cast<std::int16_t*>(memory + at.weights);
  fill_columns(resize, columns_);
  if (at.bases != at.picks) {
    columns_.bases = reinterpret_cast<std::uint32_t*>(memory + at.bases);
    columns_.picks = reinterpret_cast<std::uint8_t*>(memory + at.picks);
    columns_.wide_weights = reinterpret_cast<std::int16_t*>(memory + at.wide_weights);
    fill_groups(columns_);
  }
  for (std::size_t i = 0; i < lines_.size(); ++i)
    lines_[i] = reinterpret_cast<std::int16_t*>(memory + at.lines + i * at.line_bytes);
  aim();
}

void Resampler::aim() noexcept {
  const double scale = scale_of(resize_.span_y(), resize_.out_height);
  const auto [first, share] = place_of(row_, scale, resize_.from_y());
  const auto last = static_cast<std::int64_t>(resize_.in_height) - 1;
  top_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(first, 0, last));
  bottom_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(first + 1, 0, last));
  top_weight_ = weight(1.f - share);
  bottom_weight_ = weight(share);
}

void Resampler::feed(const std::uint8_t* line) noexcept {
  if (fed_ >= top_) resample_line(columns_, line, lines_[fed_ % 2]);
  ++fed_;
}

void Resampler::make_row(std::uint8_t* out) noexcept {
  blend_rows(lines_[top_ % 2], lines_[bottom_ % 2], top_weight_, bottom_weight_, out,
             resize_.out_width * channels);
  if (++row_ < resize_.out_height) aim();
}

}  // namespace weir::codec
