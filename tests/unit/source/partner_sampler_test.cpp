// The draws of Options::partners.
#include "source/partner_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "support/catch.hpp"
#include "weir/error.hpp"

namespace {

using namespace weir;
using namespace weir::source;
using weir::test::has_text;

/// Samples without bytes, with the labels 0, 1, 2, 0, 1, …
struct Labelled {
  std::uint64_t count = 0;
  std::uint64_t size() const { return count; }
  Encoded read(std::uint64_t, ByteSink&) const { return {}; }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::optional<std::int64_t> label(std::uint64_t i) const {
    return static_cast<std::int64_t>(i % 3);
  }
};

struct Draws {
  Draws(std::uint64_t samples, const Order& order, const PartnerOptions& options,
        std::uint64_t seed = 7)
      : sampler(samples, order, seed),
        partners(sampler, options, Labelled{samples},
                 std::make_shared<const LabelIndex>(Labelled{samples})),
        count(options.count) {}

  /// The samples of a row, its own first.
  std::vector<std::uint64_t> row(std::uint64_t epoch, std::uint64_t position) const {
    const auto drawn = sampler.index(epoch, Position(position));
    std::vector<std::uint64_t> samples{drawn};
    for (std::uint32_t partner = 1; partner <= count; ++partner)
      samples.push_back(partners.draw({epoch, Position(position), drawn}, partner, 0,
                                      std::span(samples).subspan(1)));
    return samples;
  }

  Sampler sampler;
  PartnerSampler partners;
  std::uint32_t count;
};

bool differ(std::vector<std::uint64_t> samples) {
  std::ranges::sort(samples);
  return std::ranges::adjacent_find(samples) == samples.end();
}

/// Deviations of the chi-square statistic from its mean.
double deviation(const std::map<std::uint64_t, std::uint64_t>& counts, std::size_t kinds) {
  double sum = 0, statistic = 0;
  for (const auto& [index, n] : counts) sum += static_cast<double>(n);
  const auto mean = sum / static_cast<double>(kinds);
  for (const auto& [index, n] : counts)
    statistic += (static_cast<double>(n) - mean) * (static_cast<double>(n) - mean) / mean;
  statistic += mean * static_cast<double>(kinds - counts.size());
  const auto freedom = static_cast<double>(kinds - 1);
  return (statistic - freedom) / std::sqrt(2 * freedom);
}

}  // namespace

TEST_CASE("partners differ, and each sample is equally likely", "[partners]") {
  for (const std::uint64_t samples : {5u, 6u, 100u}) {
    const Draws draws(samples, Order::sequential(), {.count = 3});
    std::map<std::uint64_t, std::uint64_t> counts[3];
    for (std::uint64_t epoch = 0; epoch < 20'000; ++epoch) {
      const auto row = draws.row(epoch, 2);
      REQUIRE(differ(row));
      for (std::size_t partner = 0; partner < 3; ++partner) ++counts[partner][row[1 + partner]];
    }
    for (const auto& each : counts) {
      CHECK_FALSE(each.contains(2));
      CHECK(std::abs(deviation(each, samples - 1)) < 5);
    }
  }
}

TEST_CASE("draws that may repeat are independent", "[partners]") {
  const Draws draws(10, Order::sequential(), {.count = 2, .repeat = true});
  std::map<std::uint64_t, std::uint64_t> pairs;
  for (std::uint64_t epoch = 0; epoch < 50'000; ++epoch) {
    const auto row = draws.row(epoch, 4);
    ++pairs[row[1] * 10 + row[2]];
  }
  CHECK(std::abs(deviation(pairs, 100)) < 5);
}

TEST_CASE("partners are samples that the order draws", "[partners]") {
  std::vector<double> weights(30);
  for (std::size_t i = 0; i < weights.size(); i += 5) weights[i] = 1 + static_cast<double>(i);
  const auto own = Order::own(
      "thirds", 8, [](std::uint64_t, std::uint64_t position, Random&) { return position * 3; });
  struct Case {
    Order order;
    std::uint64_t step, offset;
  };
  for (const auto& [order, step, offset] :
       {Case{Order::every(4, 2), 4, 2}, Case{Order::weighted(weights), 5, 0}, Case{own, 3, 0},
        Case{Order::blocks(4, 2), 1, 0}, Case{Order::with_replacement(), 1, 0}}) {
    CAPTURE(to_string(order));
    const Draws draws(30, order, {.count = 4});
    std::set<std::uint64_t> seen;
    for (std::uint64_t epoch = 0; epoch < 200; ++epoch) {
      const auto row = draws.row(epoch, epoch % draws.sampler.positions());
      CHECK(differ(row));
      for (const auto index : row) CHECK(index % step == offset);
      seen.insert(row.begin() + 1, row.end());
    }
    CHECK(seen.size() == (order.kind == Order::Kind::own ? 8 : (30 - offset + step - 1) / step));
  }
}

TEST_CASE("weights decide how often a sample is a partner", "[partners]") {
  const Draws draws(4, Order::weighted({1, 1, 2, 4}), {.count = 1, .repeat = true});
  std::uint64_t counts[4] = {};
  for (std::uint64_t epoch = 0; epoch < 80'000; ++epoch) ++counts[draws.row(epoch, 0)[1]];
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(std::abs(static_cast<double>(counts[i]) - 10'000 * std::vector{1., 1., 2., 4.}[i]) < 800);
}

TEST_CASE("partners with the label of their row", "[partners]") {
  const Draws draws(30, Order::shuffle(), {.count = 5, .pick = PartnerPick::same_label});
  CHECK_NOTHROW(draws.partners.check_labels());
  std::map<std::uint64_t, std::uint64_t> counts;
  for (std::uint64_t epoch = 0; epoch < 5000; ++epoch) {
    const auto row = draws.row(epoch, epoch % 30);
    REQUIRE(differ(row));
    for (const auto index : row) REQUIRE(index % 3 == row[0] % 3);
    if (row[0] == 6) ++counts[row[1]];
  }
  CHECK(counts.size() == 9);
  const Draws scarce(30, Order::every(2), {.count = 5, .pick = PartnerPick::same_label});
  CHECK_THROWS_WITH(scarce.partners.check_labels(), has_text("label 0 has 5"));
}

TEST_CASE("each attempt gives another sample while there is one", "[partners]") {
  const Draws draws(12, Order::shuffle(), {.count = 3});
  const auto row = draws.row(0, 1);
  const std::vector<std::uint64_t> others{row[0], row[1], row[3]};
  std::set<std::uint64_t> seen;
  for (std::uint32_t attempt = 0; attempt < 9; ++attempt) {
    const auto index = draws.partners.draw({0, Position(1), row[0]}, 2, attempt, others);
    CHECK(std::ranges::find(others, index) == others.end());
    seen.insert(index);
  }
  CHECK(seen.size() == 9);
  CHECK(draws.partners.draw({0, Position(1), row[0]}, 2, 0, others) == row[2]);
  // Then samples come again: those of the row, too.
  CHECK(draws.partners.draw({0, Position(1), row[0]}, 2, 40, others) < 12);

  // The own sample has its replacements: other samples that are not in the row.
  const std::vector<std::uint64_t> partners{row[1], row[2], row[3]};
  seen.clear();
  for (std::uint32_t attempt = 1; attempt <= 8; ++attempt) {
    const auto index = draws.partners.draw({0, Position(1), row[0]}, 0, attempt, partners);
    CHECK(std::ranges::find(row, index) == row.end());
    seen.insert(index);
  }
  CHECK(seen.size() == 8);
}

TEST_CASE("a function of the user's own chooses partners", "[partners]") {
  std::set<std::uint64_t> words;
  PartnerOptions options{.count = 2, .pick = PartnerPick::own, .name = "mine"};
  options.choose = [&](std::uint64_t epoch, std::uint64_t position, std::uint32_t partner,
                       Random& random) {
    words.insert(random());
    return epoch + position + partner;
  };
  const Draws draws(9, Order::sequential(), options);
  CHECK(draws.row(1, 2) == std::vector<std::uint64_t>{2, 4, 5});
  CHECK(draws.row(1, 2) == std::vector<std::uint64_t>{2, 4, 5});
  CHECK(words.size() == 2);
  (void)draws.partners.draw({1, Position(2), 2}, 1, 1, {});
  CHECK(words.size() == 3);
  CHECK_THROWS_WITH(draws.row(5, 3), has_text("gives index 9") && has_text("epoch 5, position 3"));
}

TEST_CASE("a source that knows no labels is named", "[partners]") {
  struct Unknown : Labelled {
    std::optional<std::int64_t> label(std::uint64_t i) const {
      return i == 2 ? std::nullopt : Labelled::label(i);
    }
  };
  CHECK_THROWS_WITH(LabelIndex(Unknown{{5}}), has_text("sample 2 (2)"));
  CHECK_THROWS_WITH(LabelIndex(relabelled(Labelled{5}, {{0, 0}, {1, 1}})),
                    has_text("map it to -1"));
  CHECK(LabelIndex(relabelled(Labelled{5}, {{0, 0}, {1, 1}, {2, -1}})).with(-1).size() == 1);
  CHECK(LabelIndex(Labelled{7}).with(1).size() == 2);
  CHECK(LabelIndex(Labelled{7}).with(5).empty());
  CHECK(LabelIndex::bytes(7) == 7 * 16);
}
