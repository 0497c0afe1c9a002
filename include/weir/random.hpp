#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "weir/export.hpp"

namespace weir {

/// The random numbers of one sample: a pure function of (seed, epoch, position, attempt),
/// independent of the workers. Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers:
/// As Easy as 1, 2, 3, SC 2011). The seed is its key and the other arguments are in its counter, so
/// sequences never overlap. Models std::uniform_random_bit_generator. The distributions of the
/// standard library differ between implementations; uniform() and below() do not. Copyable. One
/// thread at a time.
class WEIR_API Random {
 public:
  using result_type = std::uint64_t;  ///< type of one draw

  /// The start of the sequence for these arguments.
  Random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t position,
         std::uint32_t attempt = 0) noexcept
      : seed_(seed), counter_{0, position, epoch, attempt} {}

  /// The smallest value.
  static constexpr result_type min() noexcept { return 0; }
  /// The largest value.
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  /// 64 uniformly distributed bits.
  result_type operator()() noexcept {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }

  /// Uniform in [0, 1), 53 bits.
  double uniform() noexcept;
  /// Uniform in [low, high).
  double uniform(double low, double high) noexcept;
  /// Uniform in [0, n), n > 0. Uses one draw (Lemire's multiply-shift; bias below n / 2^64).
  std::uint64_t below(std::uint64_t n) noexcept;

 private:
  void refill() noexcept;

  std::uint64_t seed_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4> block_{};
  std::size_t used_ = 4;
};

}  // namespace weir
