#include "codec/resample_kernels.hpp"

#include <cstring>

#if defined(__x86_64__)
#if !defined(__clang__)
// GCC 12 takes the undefined operand inside its own intrinsics for a mistake (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#define WEIR_GROUP_KERNELS __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi")))
#endif

namespace weir::codec {
namespace {

constexpr std::size_t channels = 3;

void column(const Columns& columns, std::uint32_t i, const std::uint8_t* line, std::int16_t* out) {
  const std::uint8_t* const left = line + columns.offsets[i];
  for (std::size_t c = 0; c < channels; ++c) {
    out[i * channels + c] =
        static_cast<std::int16_t>((left[c] * columns.weights[2 * std::size_t{i}] +
                                   left[c + channels] * columns.weights[2 * std::size_t{i} + 1]) >>
                                  4);
  }
}

std::uint8_t blend(std::int16_t a, std::int16_t b, std::int16_t weight_a, std::int16_t weight_b) {
  return static_cast<std::uint8_t>(((a * weight_a >> 16) + (b * weight_b >> 16) + 2) >> 2);
}

#if defined(__x86_64__)

/// r g b of the column in four 32-bit values; the fourth is of no use.
__m128i column_sums(const Columns& columns, std::uint32_t i, const std::uint8_t* line) {
  const __m128i bytes =
      _mm_loadl_epi64(reinterpret_cast<const __m128i*>(line + columns.offsets[i]));
  const __m128i wide = _mm_unpacklo_epi8(bytes, _mm_setzero_si128());
  const __m128i pairs = _mm_unpacklo_epi16(wide, _mm_srli_si128(wide, 2 * channels));
  int weights;
  std::memcpy(&weights, columns.weights + 2 * std::size_t{i}, sizeof weights);
  return _mm_srai_epi32(_mm_madd_epi16(pairs, _mm_set1_epi32(weights)), 4);
}

__m128i blend_vector(const std::int16_t* a, const std::int16_t* b, __m128i weight_a,
                     __m128i weight_b) {
  const __m128i x = _mm_mulhi_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)), weight_a);
  const __m128i y = _mm_mulhi_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(b)), weight_b);
  return _mm_srai_epi16(_mm_add_epi16(_mm_add_epi16(x, y), _mm_set1_epi16(2)), 2);
}

WEIR_GROUP_KERNELS void resample_groups(const Columns& columns, const std::uint8_t* line,
                                        std::int16_t* out) {
  const std::size_t groups = (columns.count * channels + group_values - 1) / group_values;
  for (std::size_t g = 0; g < groups; ++g) {
    const __m512i bytes = _mm512_loadu_si512(line + columns.bases[g]);
    const __m512i pairs = _mm512_maskz_permutexvar_epi8(
        0x5555555555555555, _mm512_loadu_si512(columns.picks + 64 * g), bytes);
    const __m512i sums =
        _mm512_madd_epi16(pairs, _mm512_loadu_si512(columns.wide_weights + 32 * g));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + group_values * g),
                        _mm512_cvtepi32_epi16(_mm512_srai_epi32(sums, 4)));
  }
}

WEIR_GROUP_KERNELS void blend_wide(const std::int16_t* a, const std::int16_t* b,
                                   std::int16_t weight_a, std::int16_t weight_b, std::uint8_t* out,
                                   std::size_t values) {
  constexpr std::size_t step = 32;
  const __m512i wa = _mm512_set1_epi16(weight_a), wb = _mm512_set1_epi16(weight_b);
  for (std::size_t i = 0; i < values; i += step) {
    const std::size_t left = values - i;
    const __mmask32 here = left < step ? (__mmask32{1} << left) - 1 : ~__mmask32{0};
    const __m512i x = _mm512_mulhi_epi16(_mm512_maskz_loadu_epi16(here, a + i), wa);
    const __m512i y = _mm512_mulhi_epi16(_mm512_maskz_loadu_epi16(here, b + i), wb);
    const __m512i sum = _mm512_add_epi16(_mm512_add_epi16(x, y), _mm512_set1_epi16(2));
    _mm512_mask_cvtepi16_storeu_epi8(out + i, here, _mm512_srai_epi16(sum, 2));
  }
}

#endif

}  // namespace

#if defined(__x86_64__)

bool has_group_kernels() noexcept {
  static const bool has = __builtin_cpu_supports("avx512vbmi") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return has;
}

void resample_line_plain(const Columns& columns, const std::uint8_t* line,
                         std::int16_t* out) noexcept {
  std::uint32_t i = 0;
  for (; i + 2 <= columns.count; i += 2) {
    const __m128i two =
        _mm_packs_epi32(column_sums(columns, i, line), column_sums(columns, i + 1, line));
    std::int16_t* const place = out + i * channels;
    _mm_storel_epi64(reinterpret_cast<__m128i*>(place), two);
    _mm_storel_epi64(reinterpret_cast<__m128i*>(place + channels), _mm_srli_si128(two, 8));
  }
  for (; i < columns.count; ++i) column(columns, i, line, out);
}

void blend_rows_plain(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                      std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept {
  const __m128i wa = _mm_set1_epi16(weight_a), wb = _mm_set1_epi16(weight_b);
  std::size_t i = 0;
  for (; i + 16 <= values; i += 16) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm_packus_epi16(blend_vector(a + i, b + i, wa, wb),
                                      blend_vector(a + i + 8, b + i + 8, wa, wb)));
  }
  for (; i < values; ++i) out[i] = blend(a[i], b[i], weight_a, weight_b);
}

void resample_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) noexcept {
  if (columns.bases != nullptr)
    resample_groups(columns, line, out);
  else
    resample_line_plain(columns, line, out);
}

void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept {
  if (has_group_kernels())
    blend_wide(a, b, weight_a, weight_b, out, values);
  else
    blend_rows_plain(a, b, weight_a, weight_b, out, values);
}

#else

bool has_group_kernels() noexcept { return false; }

void resample_line_plain(const Columns& columns, const std::uint8_t* line,
                         std::int16_t* out) noexcept {
  for (std::uint32_t i = 0; i < columns.count; ++i) column(columns, i, line, out);
}
void blend_rows_plain(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                      std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept {
  for (std::size_t i = 0; i < values; ++i) out[i] = blend(a[i], b[i], weight_a, weight_b);
}
void resample_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) noexcept {
  resample_line_plain(columns, line, out);
}
void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept {
  blend_rows_plain(a, b, weight_a, weight_b, out, values);
}

#endif

}  // namespace weir::codec
