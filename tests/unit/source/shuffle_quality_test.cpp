#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "source/sampler.hpp"
#include "support/catch.hpp"

namespace {

using weir::Order;
using weir::source::Position;
using weir::source::Sampler;

/// How many standard deviations a chi-square statistic differs from that of uniform counts. A correct
/// shuffle exceeds 6 once in a billion. The seeds are fixed, so the result is always the same.
double deviation(const std::vector<std::uint64_t>& counts, double freedom) {
  const double expected =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) /
      static_cast<double>(counts.size());
  double statistic = 0;
  for (const auto count : counts) {
    const double off = static_cast<double>(count) - expected;
    statistic += off * off / expected;
  }
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("over many epochs each sample comes to each position alike", "[sampler]") {
  for (const std::uint64_t size : {2ull, 3ull, 7ull, 9ull, 16ull, 49ull, 65ull, 100ull}) {
    const Sampler sampler(size, Order::shuffle(), 1);
    std::vector<std::uint64_t> counts(size * size);
    for (std::uint64_t epoch = 0; epoch < 6'000; ++epoch) {
      for (std::uint64_t position = 0; position < size; ++position) {
        ++counts[position * size + sampler.index(epoch, Position(position))];
      }
    }
    const auto side = static_cast<double>(size - 1);
    CAPTURE(size);
    CHECK(deviation(counts, side * side) < 6);
  }
}

TEST_CASE("every order of a few samples comes alike", "[sampler]") {
  // An additive network with two odd sides can only reach even orders. Size 7 shows that.
  for (const std::uint64_t size : {3ull, 4ull, 5ull, 7ull}) {
    std::uint64_t orders = 1;
    for (std::uint64_t i = 2; i <= size; ++i) orders *= i;
    const Sampler sampler(size, Order::shuffle(), 2);
    std::vector<std::uint64_t> counts(orders);
    for (std::uint64_t epoch = 0; epoch < 100'000; ++epoch) {
      std::uint64_t code = 0, used = 0;
      for (std::uint64_t position = 0; position < size; ++position) {
        const auto index = sampler.index(epoch, Position(position));
        const auto smaller_used =
            static_cast<std::uint64_t>(__builtin_popcountll(used & ((1ull << index) - 1)));
        code = code * (size - position) + index - smaller_used;
        used |= 1ull << index;
      }
      ++counts[code];
    }
    CAPTURE(size);
    CHECK(deviation(counts, static_cast<double>(orders - 1)) < 6);
  }
}

TEST_CASE("neighbours in the source are no neighbours in the order", "[sampler]") {
  // In a shuffle, the step from one position to the next, in 64 classes, is uniform. An
  // interleaving or a rotation repeats a few steps.
  constexpr std::uint64_t size = 100'003;
  const Sampler sampler(size, Order::shuffle(), 3);
  std::vector<std::uint64_t> counts(64);
  for (std::uint64_t position = 1; position < size; ++position) {
    const auto step =
        sampler.index(0, Position(position)) + size - sampler.index(0, Position(position - 1));
    ++counts[step % size * 64 / size];
  }
  CHECK(deviation(counts, 63) < 6);
}

TEST_CASE("successive epochs are no more alike than chance", "[sampler]") {
  // The number of fixed points between two independent orders is Poisson with mean 1. Over 1,000
  // pairs of epochs there are about 1,000, with deviation 32.
  constexpr std::uint64_t size = 500;
  const Sampler sampler(size, Order::shuffle(), 4);
  std::uint64_t kept = 0;
  for (std::uint64_t epoch = 0; epoch < 1000; ++epoch) {
    for (std::uint64_t position = 0; position < size; ++position) {
      kept +=
          sampler.index(epoch, Position(position)) == sampler.index(epoch + 1, Position(position));
    }
  }
  CHECK(kept > 800);
  CHECK(kept < 1200);
}
