// The orders that may draw a sample several times, or leave samples out.
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <vector>

#include "source/alias_table.hpp"
#include "source/order.hpp"
#include "source/sampler.hpp"
#include "support/catch.hpp"
#include "support/replacement.hpp"
#include "weir/error.hpp"

namespace {

using weir::Error;
using weir::Order;
using weir::Random;
using weir::source::AliasTable;
using weir::source::Position;
using weir::source::Sampler;
using weir::test::has_text;

std::vector<std::uint64_t> drawn(const Sampler& sampler, std::uint64_t epoch) {
  std::vector<std::uint64_t> indices(sampler.positions());
  for (std::uint64_t i = 0; i < indices.size(); ++i) indices[i] = sampler.index(epoch, Position(i));
  return indices;
}

/// How many standard deviations the chi-square statistic of 10^6 draws differs from its mean.
double deviation(const Order& order, const std::vector<double>& weights) {
  constexpr std::uint64_t draws = 1'000'000;
  const Sampler sampler(weights.size(), order, 7);
  REQUIRE(sampler.positions() == draws);
  std::vector<std::uint64_t> counts(weights.size());
  for (std::uint64_t i = 0; i < draws; ++i) ++counts[sampler.index(0, Position(i))];
  const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  double statistic = 0, freedom = -1;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (weights[i] == 0) {
      REQUIRE(counts[i] == 0);
      continue;
    }
    const double expected = draws * weights[i] / sum;
    const double off = static_cast<double>(counts[i]) - expected;
    statistic += off * off / expected;
    ++freedom;
  }
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

std::string refusal(std::vector<double> weights) {
  try {
    static_cast<void>(Order::weighted(std::move(weights)));
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a million weighted draws come as often as the weights say", "[sampler][order]") {
  std::vector<double> steps(100), steep(30), some(64), alike(50, 0.3);
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] = static_cast<double>(1 + i);
  for (std::size_t i = 0; i < steep.size(); ++i) steep[i] = std::pow(0.8, i) * 1e300;
  for (std::size_t i = 0; i < some.size(); i += 3)
    some[i] = static_cast<double>(i % 7 + 1) * 1e-310;
  for (const auto& weights : {steps, steep, some, alike}) {
    CAPTURE(weights.size());
    CHECK(std::abs(deviation(Order::weighted(weights, 1'000'000), weights)) < 5);
  }
  CHECK(std::abs(deviation(Order::with_replacement(1'000'000), alike)) < 5);
}

TEST_CASE("the columns of an alias table add up to the weights", "[sampler][order]") {
  // 2^16 coins in each of the columns: 64 bits in equal steps.
  const std::vector<std::vector<double>> cases{
      {1}, {0, 3}, {3, 0, 0}, {1, 2}, {1, 1, 1}, {5, 1, 1, 1}, {1, 1, 1, 9}, {0.25, 8, 0.5, 8, 3}};
  for (const auto& weights : cases) {
    const AliasTable table(weights);
    std::vector<double> found(weights.size());
    const std::uint64_t coins = weights.size() << 16;
    for (std::uint64_t i = 0; i < coins; ++i)
      ++found[table(static_cast<std::uint64_t>(static_cast<double>(i) * std::ldexp(1.0, 64) /
                                               static_cast<double>(coins)))];
    const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      CAPTURE(weights.size(), i);
      CHECK(std::abs(found[i] / static_cast<double>(coins) - weights[i] / sum) < 1e-4);
      if (weights[i] == 0) CHECK(found[i] == 0);
    }
  }
}

TEST_CASE("draws are this on every machine", "[sampler][order]") {
  // Saved runs depend on them, as in sampler_test.cpp.
  CHECK(drawn(Sampler(8, Order::with_replacement(), 0), 0) ==
        std::vector<std::uint64_t>{0, 2, 5, 7, 1, 7, 7, 1});
  CHECK(drawn(Sampler(4, Order::weighted({1, 2, 0, 5}, 12), 3), 1) ==
        std::vector<std::uint64_t>{3, 1, 3, 1, 3, 3, 3, 3, 3, 3, 3, 1});
}

TEST_CASE("an epoch has as many positions as its order draws", "[sampler][order]") {
  CHECK(Sampler(10, Order::with_replacement(), 1).positions() == 10);
  CHECK(Sampler(10, Order::with_replacement(31), 1).positions() == 31);
  CHECK(Sampler(3, Order::weighted({1, 2, 3}), 1).positions() == 3);
  CHECK(Sampler(3, Order::weighted({1, 2, 3}, 1ull << 40), 1).positions() == 1ull << 40);
  CHECK(Sampler(0, Order::with_replacement(5), 1).positions() == 0);
  for (std::uint64_t samples = 1; samples < 40; ++samples)
    for (std::uint64_t n = 1; n < 12; ++n)
      for (std::uint64_t offset = 0; offset < samples; ++offset) {
        const Sampler sampler(samples, Order::every(n, offset), 1);
        std::vector<std::uint64_t> expected;
        for (auto i = offset; i < samples; i += n) expected.push_back(i);
        REQUIRE(drawn(sampler, 3) == expected);
      }
}

TEST_CASE("draws differ between epochs, seeds and positions", "[sampler][order]") {
  for (const auto& order :
       {Order::with_replacement(1000), Order::weighted(std::vector<double>(500, 2.0), 1000)}) {
    const auto first = drawn(Sampler(500, order, 1), 0);
    CHECK(first == drawn(Sampler(500, order, 1), 0));
    CHECK(first != drawn(Sampler(500, order, 1), 1));
    CHECK(first != drawn(Sampler(500, order, 2), 0));
    // 500 of 500 samples in 1000 draws: 432 different ones are expected.
    const auto different = std::set(first.begin(), first.end()).size();
    CHECK(different > 400);
    CHECK(different < 465);
  }
}

TEST_CASE("a user's function gets epoch, position and its own stream", "[sampler][order]") {
  const auto order =
      Order::own("both", 40, [](std::uint64_t epoch, std::uint64_t position, Random& random) {
        return position % 2 == 0 ? (epoch + position) % 7 : random.below(7);
      });
  const Sampler sampler(7, order, 3);
  CHECK(sampler.positions() == 40);
  std::set<std::uint64_t> odd;
  for (std::uint64_t position = 0; position < 40; ++position) {
    const auto index = sampler.index(5, Position(position));
    CHECK(index == Sampler(7, order, 3).index(5, Position(position)));
    if (position % 2 == 0)
      CHECK(index == (5 + position) % 7);
    else
      odd.insert(index);
  }
  CHECK(odd.size() > 4);
}

TEST_CASE("an index beyond the source is an error that names it", "[sampler][order]") {
  const Sampler beyond(
      7, Order::own("too far", 40, [](auto, auto position, auto&) { return position; }), 3);
  CHECK(beyond.index(2, Position(6)) == 6);
  CHECK_THROWS_WITH(beyond.index(2, Position(30)),
                    has_text("`order` = own:too far: its function gives index 30 for epoch 2, "
                             "position 30; the source has 7"));
  const Sampler throws(
      7,
      Order::own("no", 40,
                 [](auto, auto, auto&) -> std::uint64_t { throw std::out_of_range("mine"); }),
      3);
  CHECK_THROWS_AS(throws.index(0, Position(0)), std::out_of_range);
  CHECK_THROWS_AS(throws.replacement_of(1, 0, Position(0), 1), std::out_of_range);
}

TEST_CASE("a replacement is a sample that the order draws", "[sampler][order]") {
  const Sampler every(83, Order::every(8, 3), 9);
  std::set<std::uint64_t> seen{every.index(4, Position(2))};
  for (std::uint32_t attempt = 1; attempt < every.positions(); ++attempt) {
    const auto index = replacement(every, 4, Position(2), attempt);
    CHECK(index % 8 == 3);
    CHECK(seen.insert(index).second);
  }
  CHECK(seen.size() == every.positions());
  CHECK(replacement(Sampler(9, Order::every(9), 1), 0, Position(0), 1) == 0);

  const Sampler weighted(6, Order::weighted({0, 1, 0, 2, 3, 0}, 50), 9);
  const Sampler own(20, Order::own("even", 30, [](auto, auto at, auto&) { return at * 2 % 20; }),
                    9);
  for (std::uint64_t position = 0; position < 30; ++position)
    for (std::uint32_t attempt = 1; attempt < 64; ++attempt) {
      const auto index = replacement(weighted, 1, Position(position), attempt);
      REQUIRE((index == 1 || index == 3 || index == 4));
      REQUIRE(index != weighted.index(1, Position(position)));
      REQUIRE(replacement(own, 1, Position(position), attempt) % 2 == 0);
    }
  CHECK(replacement(Sampler(2, Order::weighted({0, 1}), 1), 0, Position(0), 1) == 1);
}

TEST_CASE("unusable weights are refused, naming the first bad one", "[sampler][order]") {
  constexpr auto infinite = std::numeric_limits<double>::infinity();
  CHECK_THAT(refusal({}), has_text("weights is empty"));
  CHECK_THAT(refusal({1, 0, -2, infinite}), has_text("weights[2] = -2.0"));
  CHECK_THAT(refusal({1, infinite}), has_text("weights[1] = inf"));
  CHECK_THAT(refusal({std::nan(""), 1}), has_text("weights[0] = nan"));
  CHECK_THAT(refusal({0, 0, -0.0}), has_text("all 3 weights are 0"));
  CHECK(refusal({0, 5e-324}) == "accepted");
}

TEST_CASE("orders are parsed from text, printed and compared", "[sampler][order]") {
  using weir::source::parse_order;
  for (const char* const text :
       {"sequential", "shuffle", "blocks:3:2", "with_replacement", "every:8:0", "every:8:3"})
    CHECK(to_string(parse_order(text).value()) == text);
  CHECK(parse_order("blocks") == Order::blocks());
  CHECK(parse_order("every:8") == Order::every(8));
  CHECK(parse_order("with_replacement:50") == Order::with_replacement(50));
  for (const char* const text :
       {"", "every", "every:", "every:0", "every:8:", "every:8:1:1", "every:x", "shuffle:1",
        "blocks:0", "weighted:1", "own:x", "with_replacement:0", "sequentia", "sequential:"})
    CHECK_FALSE(parse_order(text));

  const auto text = to_string(Order::weighted({1, 2}));
  CHECK(text.size() == std::string_view("weighted:").size() + 32);
  CHECK(Order::weighted({1, 2}) == Order::weighted({1, 2}));
  CHECK(Order::weighted({0.0, 2}) == Order::weighted({-0.0, 2}));
  CHECK_FALSE(Order::weighted({1, 2}) == Order::weighted({2, 1}));
  CHECK_FALSE(Order::weighted({1, 2}) == Order::weighted({1, 2}, 3));
  const auto own = [](const char* name) {
    return Order::own(name, 3, [](auto, auto, auto&) { return 0; });
  };
  CHECK(to_string(own("mine")) == "own:mine");
  CHECK(own("mine") == own("mine"));
  CHECK_FALSE(own("mine") == own("yours"));
}
