#include "codec/resample_kernels.hpp"

#include <algorithm>
#include <cstring>

#include "base/machine/vector_sets.hpp"

// No vectors of 512 bits: while a core of Intel multiplies such vectors now and then, it is slower. On a Xeon
// of 2023 all of a decode took 5 % longer.
#define HWY_DISABLED_TARGETS (HWY_AVX2 - 1)
// Highway compiles this file once for each vector set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "codec/resample_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace weir::codec {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int filtered_shift = 7, rows_shift = 21;

// Scalar version for the values after the last full vector, and for machines without vectors.
std::uint8_t blend(std::int16_t a, std::int16_t b, std::int16_t weight_a, std::int16_t weight_b) {
  return static_cast<std::uint8_t>(((a * weight_a >> 16) + (b * weight_b >> 16) + 2) >> 2);
}
std::uint8_t filter(const Lines& lines, const std::int16_t* weights, std::size_t i) {
  int sum = 1 << (rows_shift - 1);
  for (std::uint32_t k = 0; k < lines.count; ++k)
    sum += lines.line<std::int16_t>(k)[i] * weights[k];
  return static_cast<std::uint8_t>(std::clamp(sum >> rows_shift, 0, 255));  // as DemoteTo
}

#if HWY_TARGET == HWY_SCALAR

template <std::size_t channels, int shift, int half>
void column(const std::uint8_t* pixels, const std::int16_t* weights, std::uint32_t taps,
            std::int16_t* out) {
  for (std::size_t c = 0; c < channels; ++c) {
    int sum = half;
    for (std::uint32_t k = 0; k < taps; ++k) sum += pixels[k * channels + c] * weights[k];
    out[c] = static_cast<std::int16_t>(sum >> shift);
  }
}

std::size_t filter_vectors(const Lines&, const std::int16_t*, std::uint8_t*, std::size_t) {
  return 0;
}

#else

using Values = hn::FixedTag<std::int16_t, 8>;
using Sums = hn::FixedTag<std::int32_t, 4>;

/// a[2i] * b[2i] + a[2i + 1] * b[2i + 1].
HWY_INLINE hn::Vec<Sums> pair_sums(hn::Vec<Values> a, hn::Vec<Values> b) {
  auto rest = hn::Zero(Sums());
  const auto sums = hn::ReorderWidenMulAccumulate(Sums(), a, b, hn::Zero(Sums()), rest);
  return hn::RearrangeToOddPlusEven(sums, rest);
}

/// Writes 4 values, of which the column has `channels`.
template <std::size_t channels, int shift, int half>
HWY_INLINE void column(const std::uint8_t* pixels, const std::int16_t* weights, std::uint32_t taps,
                       std::int16_t* out) {
  const Values d;
  auto sums = hn::Set(Sums(), half);
  for (std::uint32_t k = 0; k < taps; k += 2, pixels += 2 * channels) {
    const auto wide = hn::PromoteTo(d, hn::LoadU(hn::FixedTag<std::uint8_t, 8>(), pixels));
    const auto pairs = hn::InterleaveLower(d, wide, hn::ShiftRightLanes<channels>(d, wide));
    std::int32_t pair;
    std::memcpy(&pair, weights + k, sizeof pair);
    sums = hn::Add(sums, pair_sums(pairs, hn::BitCast(d, hn::Set(Sums(), pair))));
  }
  const hn::Rebind<std::int16_t, Sums> narrow;
  hn::StoreU(hn::DemoteTo(narrow, hn::ShiftRight<shift>(sums)), narrow, out);
}

/// Computes as many values as fill whole vectors and returns their number.
std::size_t filter_vectors(const Lines& lines, const std::int16_t* weights, std::uint8_t* out,
                           std::size_t values) {
  const Values d;
  const hn::Rebind<std::uint8_t, Sums> bytes;
  const std::size_t step = hn::Lanes(d);
  std::size_t at = 0;
  for (; at + step <= values; at += step) {
    auto low = hn::Set(Sums(), 1 << (rows_shift - 1)), high = low;
    for (std::uint32_t k = 0; k < lines.count; k += 2) {
      const bool paired = k + 1 < lines.count;
      const auto a = hn::LoadU(d, lines.line<std::int16_t>(k) + at),
                 b = paired ? hn::LoadU(d, lines.line<std::int16_t>(k + 1) + at) : a;
      const auto pair = hn::InterleaveLower(d, hn::Set(d, weights[k]),
                                            hn::Set(d, paired ? weights[k + 1] : std::int16_t{0}));
      low = hn::Add(low, pair_sums(hn::InterleaveLower(d, a, b), pair));
      high = hn::Add(high, pair_sums(hn::InterleaveUpper(d, a, b), pair));
    }
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<rows_shift>(low)), bytes, out + at);
    hn::StoreU(hn::DemoteTo(bytes, hn::ShiftRight<rows_shift>(high)), bytes, out + at + step / 2);
  }
  return at;
}

#endif

// `out` could alias `columns`, so what the loop needs of it is read once.
template <std::size_t channels, int shift, int half>
HWY_INLINE void resample(const Columns& columns, std::uint32_t taps, const std::uint8_t* line,
                         std::int16_t* out) {
  const std::uint32_t* const offsets = columns.offsets;
  const auto* const weights = columns.weights_of<std::int16_t>(0);
  const std::size_t count = columns.count;
  for (std::size_t i = 0; i < count; ++i)
    column<channels, shift, half>(line + offsets[i], weights + i * taps, taps, out + i * channels);
}

template <std::size_t channels>
void resample_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) {
  resample<channels, 4, 0>(columns, 2, line, out);
}

template <std::size_t channels>
void filter_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) {
  resample<channels, filtered_shift, 1 << (filtered_shift - 1)>(columns, columns.taps, line, out);
}

void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                std::int16_t weight_b, std::uint8_t* out, std::size_t values) {
  const hn::ScalableTag<std::int16_t> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const auto wa = hn::Set(d, weight_a), wb = hn::Set(d, weight_b), two = hn::Set(d, 2);
  const std::size_t step = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + step <= values; i += step) {
    const auto x = hn::MulHigh(hn::LoadU(d, a + i), wa), y = hn::MulHigh(hn::LoadU(d, b + i), wb);
    const auto sum = hn::ShiftRight<2>(hn::Add(hn::Add(x, y), two));
    hn::StoreU(hn::DemoteTo(bytes, sum), bytes, out + i);
  }
  for (; i < values; ++i) out[i] = blend(a[i], b[i], weight_a, weight_b);
}

void filter_rows(const Lines& lines, const std::int16_t* weights, std::uint8_t* out,
                 std::size_t values) {
  for (std::size_t i = filter_vectors(lines, weights, out, values); i < values; ++i)
    out[i] = filter(lines, weights, i);
}

const VectorKernels& kernels() {
  static constexpr VectorKernels all{
      {nullptr, resample_line<1>, nullptr, resample_line<3>, resample_line<4>},
      blend_rows,
      {nullptr, filter_line<1>, nullptr, filter_line<3>, filter_line<4>},
      filter_rows};
  return all;
}

}  // namespace HWY_NAMESPACE

template <std::int64_t set>
struct InSet;
template <>
struct InSet<HWY_TARGET> {
  static constexpr auto kernels = HWY_NAMESPACE::kernels;
};

}  // namespace weir::codec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#if HWY_ARCH_X86
#if HWY_COMPILER_GCC_ACTUAL
// GCC 12 gives a wrong warning for an undefined operand in its own intrinsics (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#endif

namespace weir::codec {

#if HWY_ARCH_X86

// Highway 1.0 cannot permute bytes of two vectors.
__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi"))) void resample_groups(
    const Columns& columns, std::size_t channels, const std::uint8_t* line, std::int16_t* out) {
  constexpr std::size_t halves = 2, half = group_values / halves;
  const std::size_t groups = (columns.count * channels + group_values - 1) / group_values;
  for (std::size_t g = 0; g < groups; ++g) {
    const std::uint8_t* const bytes = line + columns.bases[g];
    const __m256i low = _mm256_loadu_epi8(bytes), high = _mm256_loadu_epi8(bytes + sizeof(__m256i));
    for (std::size_t h = halves * g; h < halves * g + halves; ++h) {
      const __m256i pairs = _mm256_maskz_permutex2var_epi8(
          0x55555555, low, _mm256_loadu_epi8(columns.picks + 32 * h), high);
      const __m256i sums =
          _mm256_madd_epi16(pairs, _mm256_loadu_epi16(columns.wide_weights + 16 * h));
      _mm_storeu_epi16(out + half * h, _mm256_cvtepi32_epi16(_mm256_srai_epi32(sums, 4)));
    }
  }
}

#else

void resample_groups(const Columns&, std::size_t, const std::uint8_t*, std::int16_t*) {}

#endif

bool has_group_kernel() noexcept {
#if HWY_ARCH_X86
  return (machine_vector_sets() & HWY_AVX2) != 0 && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi");
#else
  return false;
#endif
}

const VectorKernels& vector_kernels() noexcept {
  return in_best_set<HWY_TARGETS>(
      []<std::int64_t set>() -> const VectorKernels& { return InSet<set>::kernels(); });
}

}  // namespace weir::codec
#endif
