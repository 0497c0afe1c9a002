#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "weir/random.hpp"

using weir::Random;

static_assert(std::uniform_random_bit_generator<Random>);

TEST_CASE("a stream is Philox4x64-10 by the answers its authors publish", "[random]") {
  // From kat_vectors of Random123: counter and key of zeros.
  Random zero(0, 0, 0);
  for (const std::uint64_t word :
       {0x16554d9eca36314cu, 0xdb20fe9d672d0fdcu, 0xd7e772cee186176bu, 0x7e68b68aec7ba23bu})
    CHECK(zero() == word);
  // The next block uses another counter, so the values do not repeat.
  CHECK(zero() != 0x16554d9eca36314cu);
}

TEST_CASE("a stream depends only on seed, epoch, position and attempt", "[random]") {
  std::set<std::uint64_t> words;
  constexpr std::uint64_t each = 4;
  for (std::uint64_t seed = 0; seed < each; ++seed)
    for (std::uint64_t epoch = 0; epoch < each; ++epoch)
      for (std::uint64_t position = 0; position < each; ++position)
        for (std::uint32_t attempt = 0; attempt < each; ++attempt) {
          Random random(seed, epoch, position, attempt), same(seed, epoch, position, attempt);
          for (int i = 0; i < 20; ++i) {
            const auto word = random();
            CHECK(word == same());
            words.insert(word);
          }
        }
  CHECK(words.size() == each * each * each * each * 20);
}

TEST_CASE("uniform() and below() stay in bounds and reach all values", "[random]") {
  Random random(1, 2, 3);
  std::array<int, 7> counts{};
  double sum = 0;
  for (int i = 0; i < 7000; ++i) {
    const auto u = random.uniform();
    REQUIRE((u >= 0 && u < 1));
    sum += u;
    ++counts.at(random.below(7));
    const auto v = random.uniform(-2, 3);
    REQUIRE((v >= -2 && v < 3));
    REQUIRE(random.uniform(1, std::nextafter(1, 2)) == 1);
  }
  CHECK(std::abs(sum / 7000 - 0.5) < 0.02);  // five standard deviations are 0.017
  for (const auto count : counts) CHECK((count > 850 && count < 1150));
  Random copy = random;
  CHECK(copy() == random());
  CHECK(std::uniform_int_distribution<int>(3, 5)(random) >= 3);
}
