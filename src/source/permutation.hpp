#pragma once

#include <cmath>
#include <cstdint>

#include "base/random.hpp"

namespace weir::source {

/// A keyed bijection of 0 … size-1 without a table: a Feistel-like network over pairs (a, b) of
/// Z_left x Z_right. Its rounds add instead of xor, so the sides need not be powers of two (Black,
/// Rogaway: Ciphers with Arbitrary Finite Domains, CT-RSA 2002, methods "generalized Feistel" and
/// "cycle walking"). Thread-safe.
class Permutation {
 public:
  explicit Permutation(std::uint64_t size) noexcept
      : size_(size),
        left_(size < 2 ? 1 : even_side(size)),
        right_(size < 2 ? 1 : size / left_ + (size % left_ != 0)) {}

  std::uint64_t size() const noexcept { return size_; }

  /// `x` must be below size().
  std::uint64_t operator()(std::uint64_t key, std::uint64_t x) const noexcept {
    // The network permutes left * right values. The cycle of x returns below size, so walking along
    // it until the value is below size is a bijection of the values below size.
    do x = encipher(key, x);
    while (x >= size_);
    return x;
  }

 private:
  // Sides near the square root make left * right exceed size by less than left, so a walk rarely
  // needs a second step. If both sides were odd, every round would be an even permutation, and half
  // of all orders would be impossible.
  static std::uint64_t even_side(std::uint64_t size) noexcept {
    const auto root = static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(size))));
    return root + root % 2;
  }
  std::uint64_t encipher(std::uint64_t key, std::uint64_t x) const noexcept {
    std::uint64_t a = x / right_;
    std::uint64_t b = x % right_;
    const std::uint64_t rounds = size_ <= small ? 12 : 6;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      a = add(a, scaled_below(mix64(mix64(key + 2 * round) ^ b), left_), left_);
      b = add(b, scaled_below(mix64(mix64(key + 2 * round + 1) ^ a), right_), right_);
    }
    return a * right_ + b;
  }
  static std::uint64_t add(std::uint64_t a, std::uint64_t b, std::uint64_t modulus) noexcept {
    return a >= modulus - b ? a - (modulus - b) : a + b;
  }

  // A few rounds are enough for large sides (Luby, Rackoff). For sides of two or three values, ten
  // rounds make the orders of 5, 6 and 7 indistinguishable from uniform in a million epochs
  // (chi-square).
  static constexpr std::uint64_t small = 64;

  std::uint64_t size_, left_, right_;
};

}  // namespace weir::source
