#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace weir {

/// No limit, in arithmetic. The public API has an empty optional instead.
inline constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

constexpr std::optional<std::uint64_t> limit_of(std::uint64_t bytes) noexcept {
  return bytes == unlimited ? std::nullopt : std::optional(bytes);
}

/// Saturating arithmetic: a result that would wrap is the maximum. A size that is too large stays
/// too large.
constexpr std::uint64_t add_sat(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? unlimited : sum;
}
constexpr std::uint64_t mul_sat(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? unlimited : product;
}
constexpr std::uint64_t sub_floor(std::uint64_t a, std::uint64_t b) noexcept {
  return a > b ? a - b : 0;
}

/// `multiple` is above 0.
constexpr std::uint64_t round_up(std::uint64_t n, std::uint64_t multiple) noexcept {
  const auto rest = n % multiple;
  return rest == 0 ? n : add_sat(n, multiple - rest);
}

/// round(side * by / of), halves up, at least 1. In integers, so that all machines give the same result.
constexpr std::uint32_t scaled_side(std::uint64_t side, std::uint64_t by,
                                    std::uint64_t of) noexcept {
  const auto scaled = static_cast<std::uint32_t>((2 * side * by + of) / (2 * of));
  return scaled > 0 ? scaled : 1;
}

}  // namespace weir
