#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "weir/convert.hpp"

namespace weir {
namespace {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);

/// The bits of a 16-bit IEEE 754 binary format. A conversion through float would round twice.
template <int exponent_bits, int fraction_bits>
std::uint16_t encode(double value) noexcept {
  constexpr int largest_exponent = (1 << (exponent_bits - 1)) - 1;
  constexpr int least_exponent = 1 - largest_exponent;
  constexpr long infinity = ((1L << exponent_bits) - 1) << fraction_bits;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (!(magnitude < std::ldexp(1.0, largest_exponent + 1)))
    return static_cast<std::uint16_t>(sign | infinity |
                                      (std::isnan(value) ? 1 << (fraction_bits - 1) : 0));
  const int exponent = std::max(std::ilogb(magnitude), least_exponent);
  // In units of the last place. The leading bit of a normal number increases its biased exponent by
  // one, and so does a carry out of the fraction. So the sum is also correct for subnormals.
  const long units = std::lrint(std::ldexp(magnitude, fraction_bits - exponent));
  const long bits = (static_cast<long>(exponent - least_exponent) << fraction_bits) + units;
  return static_cast<std::uint16_t>(sign | std::min(bits, infinity));
}

}  // namespace

template <Element T>
T narrow(double value) noexcept {
  if constexpr (std::same_as<T, float>) return static_cast<float>(value);
  if constexpr (std::same_as<T, float16>) return {encode<5, 10>(value)};
  if constexpr (std::same_as<T, bfloat16>) return {encode<8, 7>(value)};
}
template float narrow(double value) noexcept;
template float16 narrow(double value) noexcept;
template bfloat16 narrow(double value) noexcept;

}  // namespace weir
