#pragma once

#include <cmath>
#include <cstdint>

#include "base/random.hpp"

namespace weir::source {

/// A keyed bijection of 0 .. size-1 that holds no table: a Feistel-like network over pairs
/// (a, b) of Z_left x Z_right, with additive rounds instead of xor so that the sides need not be
/// powers of two (Black, Rogaway: Ciphers with Arbitrary Finite Domains, CT-RSA 2002, methods
/// "generalized Feistel" and "cycle walking"). Any thread.
class Permutation {
 public:
  explicit Permutation(std::uint64_t size) noexcept
      : size_(size),
        left_(size < 2 ? 1 : even_side(size)),
        right_(size < 2 ? 1 : size / left_ + (size % left_ != 0)) {}

  std::uint64_t size() const noexcept { return size_; }

  /// x < size().
  std::uint64_t operator()(std::uint64_t key, std::uint64_t x) const noexcept {
    // The network permutes left * right values; following x until it lands under size permutes
    // those under size, because x's own cycle leads back there.
    do x = encipher(key, x);
    while (x >= size_);
    return x;
  }

 private:
  // Sides near the root make left * right exceed size by less than left, so a walk rarely takes a
  // second step. Were both odd, every round would be an even permutation and half of all orders
  // could never come.
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

  // Few rounds suffice for large sides (Luby, Rackoff). Where a side has two or three values, ten
  // bring the orders of 5, 6 and 7 within the noise of a million epochs from uniform (chi-square).
  static constexpr std::uint64_t small = 64;

  std::uint64_t size_, left_, right_;
};

}  // namespace weir::source
