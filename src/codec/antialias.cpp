#include "codec/antialias.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/checked.hpp"
#include "codec/arena.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace weir::codec {
namespace {

constexpr std::uint64_t channels = 3;
/// Weights have 14 bits behind the point, lines 7 more than a pixel: sums stay within 31 bits.
constexpr int weight_one = 1 << 14, column_shift = 7, row_shift = 21;

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

#if defined(__SSE2__)

__m128i load(const void* place) { return _mm_loadu_si128(static_cast<const __m128i*>(place)); }

/// Writes one value beyond the column.
void resample_column(const std::uint8_t* pixels, const std::int16_t* weights, std::uint32_t taps,
                     std::int16_t* out) {
  __m128i sums = _mm_set1_epi32(1 << (column_shift - 1));
  for (std::uint32_t k = 0; k < taps; k += 2) {
    const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(pixels + k * channels));
    const __m128i wide = _mm_unpacklo_epi8(bytes, _mm_setzero_si128());
    const __m128i pairs = _mm_unpacklo_epi16(wide, _mm_srli_si128(wide, 2 * channels));
    int pair;
    std::memcpy(&pair, weights + k, sizeof pair);
    sums = _mm_add_epi32(sums, _mm_madd_epi16(pairs, _mm_set1_epi32(pair)));
  }
  sums = _mm_srai_epi32(sums, column_shift);
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packs_epi32(sums, sums));
}

/// Eight values of the lines' weighted sum; `next` gives line and weight of each tap.
template <class Line>
void blend_eight(Line line, const std::int16_t* weights, std::uint32_t taps, std::size_t at,
                 std::uint8_t* out) {
  __m128i low = _mm_set1_epi32(1 << (row_shift - 1)), high = low;
  for (std::uint32_t k = 0; k < taps; k += 2) {
    const bool paired = k + 1 < taps;
    const __m128i a = load(line(k) + at), b = paired ? load(line(k + 1) + at) : a;
    const __m128i pair = _mm_unpacklo_epi16(
        _mm_set1_epi16(weights[k]), _mm_set1_epi16(paired ? weights[k + 1] : std::int16_t{0}));
    low = _mm_add_epi32(low, _mm_madd_epi16(_mm_unpacklo_epi16(a, b), pair));
    high = _mm_add_epi32(high, _mm_madd_epi16(_mm_unpackhi_epi16(a, b), pair));
  }
  const __m128i values =
      _mm_packs_epi32(_mm_srai_epi32(low, row_shift), _mm_srai_epi32(high, row_shift));
  _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(values, values));
}

#else

void resample_column(const std::uint8_t* pixels, const std::int16_t* weights, std::uint32_t taps,
                     std::int16_t* out) {
  for (std::size_t c = 0; c < channels; ++c) {
    int sum = 1 << (column_shift - 1);
    for (std::uint32_t k = 0; k < taps; ++k) sum += pixels[k * channels + c] * weights[k];
    out[c] = static_cast<std::int16_t>(sum >> column_shift);
  }
}

template <class Line>
void blend_eight(Line line, const std::int16_t* weights, std::uint32_t taps, std::size_t at,
                 std::uint8_t* out) {
  for (std::size_t i = 0; i < 8; ++i) {
    int sum = 1 << (row_shift - 1);
    for (std::uint32_t k = 0; k < taps; ++k) sum += line(k)[at + i] * weights[k];
    out[i] = static_cast<std::uint8_t>(sum >> row_shift);
  }
}

#endif

}  // namespace

std::uint64_t AntialiasResampler::memory_bytes(const Resize& resize) noexcept {
  return layout_of(resize).bytes;
}

AntialiasResampler::AntialiasResampler(const Resize& resize, std::byte* memory) noexcept
    : resize_(resize), column_taps_(column_taps(resize)), taps_(down(resize).taps()) {
  const Layout at = layout_of(resize);
  offsets_ = reinterpret_cast<std::uint32_t*>(memory + at.offsets);
  column_weights_ = reinterpret_cast<std::int16_t*>(memory + at.column_weights);
  weights_ = reinterpret_cast<std::int16_t*>(memory + at.weights);
  lines_ = reinterpret_cast<std::int16_t*>(memory + at.lines);
  line_values_ = at.line_values;
  for (std::uint32_t x = 0; x < resize.out_width; ++x) {
    const std::uint32_t i = resize.mirror ? resize.out_width - 1 - x : x;
    offsets_[i] =
        static_cast<std::uint32_t>(channels) *
        weigh(x, across(resize), column_taps_, column_weights_ + std::size_t{i} * column_taps_);
  }
  aim();
}

void AntialiasResampler::aim() noexcept { first_ = weigh(row_, down(resize_), taps_, weights_); }

void AntialiasResampler::feed(const std::uint8_t* line) noexcept {
  if (fed_ >= first_) {
    std::int16_t* const out = kept(fed_);
    for (std::uint32_t i = 0; i < resize_.out_width; ++i)
      resample_column(line + offsets_[i], column_weights_ + std::size_t{i} * column_taps_,
                      column_taps_, out + i * channels);
  }
  ++fed_;
}

void AntialiasResampler::make_row(std::uint8_t* out) noexcept {
  const auto tap = [this](std::uint32_t k) { return kept(first_ + k); };
  const std::size_t values = resize_.out_width * channels;
  std::size_t at = 0;
  for (; at + 8 <= values; at += 8) blend_eight(tap, weights_, taps_, at, out + at);
  if (at < values) {
    std::uint8_t last[8];
    blend_eight(tap, weights_, taps_, at, last);
    std::memcpy(out + at, last, values - at);
  }
  if (++row_ < resize_.out_height) aim();
}

}  // namespace weir::codec
