#include "source/sampler.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "support/replacement.hpp"

namespace {

using weir::Order;
using weir::source::Position;
using weir::source::Sampler;

// A number of samples cannot be taken for a position, nor a position for an index.
static_assert(!std::convertible_to<std::uint64_t, Position>);
static_assert(!std::convertible_to<Position, std::uint64_t>);
static_assert(!std::equality_comparable_with<Position, std::uint64_t>);

bool visits_each_once(const Sampler& sampler, std::uint64_t epoch) {
  std::vector<bool> seen(sampler.positions());
  for (std::uint64_t position = 0; position < sampler.positions(); ++position) {
    const auto index = sampler.index(epoch, Position(position));
    if (index >= sampler.positions() || seen[index]) return false;
    seen[index] = true;
  }
  return true;
}

std::vector<std::uint64_t> order(const Sampler& sampler, std::uint64_t epoch) {
  std::vector<std::uint64_t> indices(sampler.positions());
  for (std::uint64_t position = 0; position < sampler.positions(); ++position) {
    indices[position] = sampler.index(epoch, Position(position));
  }
  return indices;
}

}  // namespace

TEST_CASE("a shuffled epoch visits every sample exactly once", "[sampler][D10]") {
  for (std::uint64_t size = 1; size <= 300; ++size) {
    for (const std::uint64_t seed : {0ull, 1ull, 0xdeadbeefcafeull}) {
      for (const std::uint64_t epoch : {0ull, 1ull, 1'000'000'007ull}) {
        CAPTURE(size, seed, epoch);
        REQUIRE(visits_each_once(Sampler(size, Order::shuffle(), seed), epoch));
      }
    }
  }
  for (const std::uint64_t size : {1'000'000ull, 1'000'003ull, 65'536ull, 65'537ull}) {
    CAPTURE(size);
    REQUIRE(visits_each_once(Sampler(size, Order::shuffle(), 5), 3));
  }
}

TEST_CASE("sizes beyond 32 bits shuffle without a table", "[sampler][D10]") {
  for (const std::uint64_t size :
       {(1ull << 31) + 7, 1ull << 40, (1ull << 40) + 1, 18446744073709551615ull}) {
    const Sampler sampler(size, Order::shuffle(), 11);
    std::set<std::uint64_t> seen;
    std::uint64_t low = 0;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      for (const auto position : {i, size - 1 - i}) {
        const auto index = sampler.index(2, Position(position));
        CAPTURE(size, position);
        REQUIRE(index < size);
        REQUIRE(seen.insert(index).second);
        low += index < size / 2;
      }
    }
    // 2,000 coins. A correct shuffle exceeds these bounds once in 10^10 sets.
    CHECK(low > 855);
    CHECK(low < 1145);
  }
}

TEST_CASE("an unshuffled epoch is in order", "[sampler]") {
  for (const std::uint64_t size : {0ull, 1ull, 1000ull, 1ull << 40}) {
    const Sampler sampler(size, Order::sequential(), 3);
    for (std::uint64_t position = 0; position < std::min<std::uint64_t>(size, 1000); ++position) {
      REQUIRE(sampler.index(7, Position(position)) == position);
    }
  }
}

TEST_CASE("the order is a pure function of seed and epoch", "[sampler]") {
  const Sampler sampler(1000, Order::shuffle(), 42);
  const auto first = order(sampler, 0);
  CHECK(order(Sampler(1000, Order::shuffle(), 42), 0) == first);
  CHECK(order(sampler, 1) != first);
  CHECK(order(Sampler(1000, Order::shuffle(), 43), 0) != first);
  // Exchanging seed and epoch gives another order.
  CHECK(order(Sampler(1000, Order::shuffle(), 1), 2) !=
        order(Sampler(1000, Order::shuffle(), 2), 1));
}

TEST_CASE("the order is this one on every machine", "[sampler]") {
  // Saved runs depend on these positions: a change here breaks resuming older runs.
  CHECK(order(Sampler(8, Order::shuffle(), 0), 0) ==
        std::vector<std::uint64_t>{1, 4, 5, 0, 7, 2, 3, 6});
}

TEST_CASE("replacements try every other sample before one comes again", "[sampler]") {
  for (const std::uint64_t size : {2ull, 3ull, 10ull, 65ull, 200ull}) {
    for (const auto& kind : {Order::sequential(), Order::shuffle(), Order::blocks(3, 2)}) {
      const Sampler sampler(size, kind, 9);
      for (const std::uint64_t position : {std::uint64_t{0}, size / 2, size - 1}) {
        std::set<std::uint64_t> seen{sampler.index(4, Position(position))};
        for (std::uint32_t attempt = 1; attempt < size; ++attempt) {
          const auto index = replacement(sampler, 4, Position(position), attempt);
          CAPTURE(size, position, attempt);
          REQUIRE(index < size);
          REQUIRE(index == replacement(Sampler(size, kind, 9), 4, Position(position), attempt));
          REQUIRE(seen.insert(index).second);
        }
        CHECK(seen.size() == size);
        CHECK(replacement(sampler, 4, Position(position), static_cast<std::uint32_t>(size)) ==
              replacement(sampler, 4, Position(position), 1));
      }
    }
  }
}

TEST_CASE("rows, epochs and seeds get different replacements", "[sampler]") {
  const auto distance = [](std::uint64_t seed, std::uint64_t epoch, std::uint64_t position) {
    const Sampler sampler(1'000'000'007, Order::sequential(), seed);
    return replacement(sampler, epoch, Position(position), 1) - position;
  };
  std::set<std::uint64_t> distances;
  for (std::uint64_t i = 0; i < 100; ++i) {
    distances.insert({distance(i, 0, 0), distance(1000, i, 0), distance(1000, 1000, i)});
  }
  CHECK(distances.size() == 300);
}

TEST_CASE("the parameters of blocks do not matter for another order", "[sampler]") {
  const Sampler sampler(10, {.kind = Order::Kind::shuffle, .block = 0, .together = 0}, 3);
  CHECK(order(sampler, 1) == order(Sampler(10, Order::shuffle(), 3), 1));
}

TEST_CASE("the only sample stands in for itself", "[sampler]") {
  CHECK(Sampler(1, Order::shuffle(), 7).index(3, Position(0)) == 0);
  CHECK(replacement(Sampler(1, Order::shuffle(), 7), 3, Position(0), 64) == 0);
}

TEST_CASE("every row of every epoch has a random stream of its own", "[sampler]") {
  std::set<std::uint64_t> keys;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Sampler sampler(100, Order::shuffle(), seed);
    for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
      for (std::uint64_t position = 0; position < 100; ++position)
        keys.insert(sampler.draw(epoch, Position(position)));
    }
  }
  CHECK(keys.size() == 10'000);
}

TEST_CASE("an order of blocks visits every sample once, in runs", "[sampler]") {
  for (const std::uint64_t size : {1ull, 2ull, 63ull, 64ull, 65ull, 1000ull, 1003ull}) {
    for (const auto& kind : {Order::blocks(1, 1), Order::blocks(7, 3), Order::blocks(64, 1),
                             Order::blocks(2000, 5), Order::blocks(10, 1ull << 60)}) {
      const Sampler sampler(size, kind, 5);
      CAPTURE(size, kind.block, kind.together);
      REQUIRE(visits_each_once(sampler, 0));
      REQUIRE(visits_each_once(sampler, 3));
    }
  }
  // Each group of positions has the samples of `together` whole blocks. The short block is last.
  const Sampler sampler(1003, Order::blocks(10, 4), 1);
  const auto first = order(sampler, 0);
  CHECK(first != order(sampler, 1));
  CHECK(first != order(Sampler(1003, Order::blocks(10, 4), 2), 0));
  for (std::uint64_t group = 0; group < 1003; group += 40) {
    std::set<std::uint64_t> blocks;
    for (auto i = group; i < std::min<std::uint64_t>(group + 40, 1003); ++i)
      blocks.insert(first[i] / 10);
    CHECK(blocks.size() <= 4);
    CHECK(blocks.contains(100) == (group == 1000));
  }
}
