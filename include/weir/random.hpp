#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "weir/export.hpp"

namespace weir {

/// The random stream of one sample: a pure function of (seed, epoch, position, attempt), whatever the
/// workers. Philox4x64-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3,
/// SC 2011) with the seed as its key and the others in its counter, so streams never overlap. Models
/// std::uniform_random_bit_generator; the standard's distributions differ between standard libraries,
/// uniform() and below() do not. Copyable; one thread at a time.
class WEIR_API Random {
 public:
  using result_type = std::uint64_t;  ///< of one draw

  /// At the beginning of the stream of these four.
  Random(std::uint64_t seed, std::uint64_t epoch, std::uint64_t position,
         std::uint32_t attempt = 0) noexcept
      : seed_(seed), counter_{0, position, epoch, attempt} {}

  /// The least a draw can be.
  static constexpr result_type min() noexcept { return 0; }
  /// The most a draw can be.
  static constexpr result_type max() noexcept { return std::numeric_limits<result_type>::max(); }
  /// 64 bits, each as likely as not.
  result_type operator()() noexcept {
    if (used_ == block_.size()) refill();
    return block_[used_++];
  }

  /// In [0, 1), 53 bits.
  double uniform() noexcept;
  /// In [low, high).
  double uniform(double low, double high) noexcept { return low + (high - low) * uniform(); }
  /// In [0, n), n > 0. One draw (Lemire's multiply-shift; bias under n / 2^64).
  std::uint64_t below(std::uint64_t n) noexcept;

 private:
  void refill() noexcept;

  std::uint64_t seed_;
  std::array<std::uint64_t, 4> counter_;
  std::array<std::uint64_t, 4> block_{};
  std::size_t used_ = 4;
};

}  // namespace weir
