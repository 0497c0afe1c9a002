#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::simulation {

/// What the mean of a service time is multiplied by, sample for sample: log-normal with mean 1.
///
/// A ring of `count` draws whose mean is exactly 1, so that any `count` in succession take the mean
/// time `count` times: what is random is where the long ones lie, not how much work there is. The
/// n-th factor depends on n and the key alone, so settings that are compared meet the same samples.
class Draws {
 public:
  /// `variation`: deviation / mean; 0: every factor is 1. Log-normal of mean m and variation v:
  /// exp(N(ln m - s^2 / 2, s^2)) with s^2 = ln(1 + v^2).
  Draws(std::size_t count, double variation, std::uint64_t key);
  double operator[](std::uint64_t n) const noexcept { return factors_[n % factors_.size()]; }

 private:
  std::vector<double> factors_;
};

}  // namespace weir::simulation
