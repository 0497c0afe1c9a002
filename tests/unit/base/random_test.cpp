#include "base/random.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <set>

#include "support/catch.hpp"

using weir::RandomStream;

TEST_CASE("mix64 gives the outputs of SplitMix64 seeded with 0") {
  // The reference generator adds its increment before it mixes: outputs for states 0, g, 2g.
  constexpr std::uint64_t increment = 0x9e3779b97f4a7c15;
  CHECK(weir::mix64(0) == 0xe220a8397b1dcdaf);
  CHECK(weir::mix64(increment) == 0x6e789e6aa1b965f4);
  CHECK(weir::mix64(2 * increment) == 0x06c45d188009454f);
}

TEST_CASE("a key depends on all parts, their order and their number") {
  const std::set<std::uint64_t> keys{weir::mix_key({}),     weir::mix_key({0}),
                                     weir::mix_key({0, 0}), weir::mix_key({1, 2}),
                                     weir::mix_key({2, 1}), weir::mix_key({1, 3})};
  CHECK(keys.size() == 6);
}

TEST_CASE("equal keys give equal streams, and a copy continues its own") {
  RandomStream a(7), b(7), other(8);
  CHECK(a.next() == b.next());
  CHECK(a.next() != other.next());
  RandomStream copy = a;
  CHECK(copy.next() == a.next());
}

TEST_CASE("numbers below n are spread evenly and stay below n") {
  RandomStream stream(1);
  std::array<int, 10> counts{};
  for (int i = 0; i < 100'000; ++i) ++counts.at(stream.below(10));
  // 10,000 are expected of each, with standard deviation 95. Six deviations have a probability of 10^-8.
  for (const int count : counts) CHECK(std::abs(count - 10'000) < 570);
  CHECK(stream.below(1) == 0);
}

TEST_CASE("uniform numbers stay in their interval, with a central mean") {
  RandomStream stream(2);
  double sum = 0;
  for (int i = 0; i < 100'000; ++i) {
    const double value = stream.uniform(2, 4);
    REQUIRE(value >= 2);
    REQUIRE(value < 4);
    sum += value;
  }
  CHECK(std::abs(sum / 100'000 - 3.0) < 0.011);
}
