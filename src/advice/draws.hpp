#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/advice.hpp"

namespace weir::advice {

/// Factors for a mean service time, with mean 1.
///
/// The object holds a ring of `count` factors with a mean of exactly 1. So any `count` consecutive
/// factors give exactly `count` times the mean time: only the positions of slow samples are random,
/// not the total work. Factor n depends on n and the key alone, so all settings use the same
/// samples.
class Draws {
 public:
  /// The measured distribution if there is one: its sequence, repeated; or its histogram, in random
  /// order. Else log-normal; without a deviation every factor is 1. A log-normal distribution of
  /// mean m and variation v = deviation / mean is exp(N(ln m - s^2 / 2, s^2)) with s^2 = ln(1 + v^2).
  Draws(std::size_t count, const Service& service, std::uint64_t key);
  double operator[](std::uint64_t n) const noexcept { return factors_[n % factors_.size()]; }
  /// The sum of `count` factors, beginning with factor `first`. Its time does not depend on `count`.
  double sum(std::uint64_t first, std::uint64_t count) const noexcept;

 private:
  std::vector<double> factors_;
  std::vector<double> sums_;  ///< [n]: sum of the first n factors
};

}  // namespace weir::advice
