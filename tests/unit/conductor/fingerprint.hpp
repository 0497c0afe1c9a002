#pragma once

#include <compare>
#include <cstdint>

#include "base/random.hpp"

namespace weir::test {

/// 128 bits from two different hash functions. In a search of 10^7 states, the probability that two
/// different ones have the same fingerprint is below 10^-24.
struct Fingerprint {
  std::uint64_t first = 1, second = 2;
  void add(std::uint64_t value) noexcept {
    first = mix64(first ^ value);
    second = mix64(second + 0xd6e8feb86659fd93ull * mix64(value ^ 0x5851f42d4c957f2dull));
  }
  void add(const Fingerprint& other) noexcept {
    add(other.first);
    add(other.second);
  }
  friend auto operator<=>(const Fingerprint&, const Fingerprint&) = default;
};

}  // namespace weir::test
