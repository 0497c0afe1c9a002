#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "weir/convert.hpp"

namespace weir::test {

/// The properties of an output type: significant bits, the exponent of its smallest normal number
/// and that of its largest.
struct Format {
  int digits, least, largest;
};
template <Element T>
constexpr Format format_of() {
  if constexpr (std::same_as<T, float>) return {24, -126, 127};
  if constexpr (std::same_as<T, float16>) return {11, -14, 15};
  if constexpr (std::same_as<T, bfloat16>) return {8, -126, 127};
}

/// The distance between neighbouring values at `exact`.
inline long double ulp(long double exact, Format format) {
  const int exponent = exact == 0 ? format.least : std::max(std::ilogb(exact), format.least);
  return std::ldexp(1.0L, exponent - format.digits + 1);
}

/// The smallest magnitude that rounds to infinity.
inline long double overflow_bound(Format format) {
  return std::ldexp(2.0L - std::ldexp(1.0L, -format.digits), format.largest);
}

inline long double value_of(float x) { return x; }
inline long double value_of(bfloat16 x) {
  return std::bit_cast<float>(std::uint32_t{x.bits} << 16);
}
inline long double value_of(float16 x) {
  const int exponent = (x.bits >> 10) & 31;
  const int fraction = x.bits & 1023;
  const long double sign = (x.bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VALL : std::nanl("");
  return sign * (exponent == 0
                     ? std::ldexp(static_cast<long double>(fraction), -24)
                     : std::ldexp(static_cast<long double>(fraction + 1024), exponent - 25));
}

/// (pixel / factor * scale - mean) / stddev with a significand of 64 bits. The products by 8 bits
/// are exact, and fma rounds the difference once. Alpha is channel 3. `factor` is 257 for values of
/// 16 bits.
inline long double exact(int pixel, const Normalize& normalize, std::size_t channel,
                         long double factor = 1) {
  const long double mean = channel < 3 ? normalize.mean[channel] : 0;
  const long double stddev = channel < 3 ? normalize.stddev[channel] : 1;
  const auto difference = std::fma(static_cast<long double>(pixel),
                                   static_cast<long double>(normalize.scale), -(factor * mean));
  return difference / (factor * stddev);
}

}  // namespace weir::test
