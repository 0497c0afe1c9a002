#pragma once

#include <cstdint>
#include <initializer_list>

namespace weir {

/// The finaliser of SplitMix64, a bijection of 64-bit values that passes statistical test batteries
/// (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
constexpr std::uint64_t mix64(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// One key from several parts; their order matters. With it a draw is a pure function of (seed,
/// epoch, …).
constexpr std::uint64_t mix_key(std::initializer_list<std::uint64_t> parts) noexcept {
  std::uint64_t key = 0x243f6a8885a308d3ull;
  for (const auto part : parts) key = mix64(key ^ mix64(part));
  return key;
}

/// Scales `random` to [0, n), n > 0, by Lemire's multiply-shift. The bias is below n / 2^64.
constexpr std::uint64_t scaled_below(std::uint64_t random, std::uint64_t n) noexcept {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(random) * n) >> 64);
}

/// A counter-based stream of uniform numbers. It is copyable: key and counter are all of its state.
class RandomStream {
 public:
  constexpr explicit RandomStream(std::uint64_t key) noexcept : key_(key) {}
  constexpr std::uint64_t next() noexcept { return mix64(key_ + 0x9e3779b97f4a7c15ull * ++count_); }
  /// Uniform in [0, 1), with 53 random bits.
  constexpr double uniform() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  constexpr double uniform(double low, double high) noexcept {
    return low + (high - low) * uniform();
  }
  /// Uniform in [0, n), n > 0.
  constexpr std::uint64_t below(std::uint64_t n) noexcept { return scaled_below(next(), n); }

 private:
  std::uint64_t key_;
  std::uint64_t count_ = 0;
};

}  // namespace weir
