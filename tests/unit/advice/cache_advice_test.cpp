#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advice/search.hpp"
#include "advice/workload.hpp"
#include "source/sampler.hpp"
#include "support/catch.hpp"
#include "support/units.hpp"
#include "unit/advice/intervals.hpp"

using namespace weir;
using test::Approx;
using test::interval_of;

namespace {

using weir::test::mib;

Options with_budget(std::optional<std::uint64_t> budget, Cache keep,
                    std::optional<std::uint64_t> max_bytes = {}) {
  Options options;
  options.workers = 2;
  options.memory.budget_bytes = budget;
  options.memory.max_sample_bytes = 8 * mib;
  options.cache = {keep, max_bytes};
  return options;
}

}  // namespace

TEST_CASE("a prediction omits kept samples' reads, kept rows' decodes", "[plan][cache]") {
  // Storage is the limit: two workers wait for reads of 20 ms, with decodes of 2 ms.
  auto interval = interval_of({20, 2, 1, 0.3});
  const auto at = [&](Cache keep, double share) {
    interval.plan.cache.keep = keep;
    interval.plan.cache.requested = interval.plan.cache.bytes = 100 * mib;
    interval.hit_share = share;
    return predict(interval, setting_of(interval.plan)).samples_per_s;
  };
  const auto cold = at(Cache::nothing, 0);
  CHECK(cold == Approx(2 / 22e-3).epsilon(0.03));
  CHECK(at(Cache::encoded, 0) == Approx(cold).epsilon(0.001));
  CHECK(at(Cache::encoded, 0.5) == Approx(2 / 12e-3).epsilon(0.05));
  CHECK(at(Cache::encoded, 1) == Approx(2 / 2e-3).epsilon(0.05));
  CHECK(at(Cache::decoded, 0.5) == Approx(2 / 11e-3).epsilon(0.05));
  CHECK(at(Cache::decoded, 1) == Approx(32 / 1e-3).epsilon(0.05));  // the consumer is the limit
  interval.plan.read_ahead = 8;
  CHECK(at(Cache::encoded, 0.5) == Approx(8 / 20e-3 / 0.5).epsilon(0.15));
}

TEST_CASE("hits are as many as the share says, and spread", "[plan][cache]") {
  advice::Workload work = advice::workload_of(interval_of({1, 1, 1}), 32, 0);
  for (const double share : {0.0, 0.1, 0.5, 0.93, 1.0}) {
    work.hit_share = share;
    std::uint64_t hits = 0, longest = 0, run = 0;
    for (std::uint64_t n = 0; n < 10'000; ++n) {
      run = work.hits(n) ? 0 : run + 1;
      hits += run == 0;
      longest = std::max(longest, run);
    }
    CHECK(static_cast<double>(hits) == Approx(share * 10'000).margin(5));
    if (share >= 0.5) CHECK(longest <= 2);
  }
}

TEST_CASE("advice says what caches would bring", "[plan][cache]") {
  auto options = with_budget(256 * mib, Cache::nothing);
  auto interval = interval_of({20, 2, 1, 0.3}, 2, options);
  interval.plan.workers = 2;
  const AdviceOptions few{.most_queue = 2, .most_workers = 2, .most_read_ahead = 2};
  CHECK(advise(interval, few).cache.empty());  // the number of samples is unknown
  interval.source_samples = 10'000;
  const auto advice = advise(interval, few);
  REQUIRE(advice.cache.size() == 2);
  const auto &encoded = advice.cache[0], &decoded = advice.cache[1];
  CHECK(encoded.keep == Cache::encoded);
  // Segments of 4 MiB have a head of 64 bytes, and room for half an entry at their ends.
  CHECK(encoded.whole_bytes == 80'000 + 10'000 * (128 + 110'016) + 267 * (64 + 55'072));
  // 27 rows are in each segment of 4 MiB. Its head and the rest of its last page have 1,984 bytes.
  CHECK(decoded.whole_bytes == 80'000 + 10'000 * (192 + 150'528) + 371 * 1'984);
  CHECK(encoded.bytes > 150 * mib);
  CHECK(encoded.bytes < 256 * mib);
  CHECK(encoded.share == Approx(static_cast<double>(encoded.bytes - 80'000) /
                                static_cast<double>(encoded.whole_bytes - 80'000)));
  CHECK(encoded.to.samples_per_s > 1.05 * advice.now.samples_per_s);
  CHECK(encoded.whole.samples_per_s > 2 * encoded.to.samples_per_s);
  CHECK(decoded.whole.samples_per_s > 2 * encoded.whole.samples_per_s);
  // Each is compared with the settings now, and its flag has the size.
  for (const auto& cache : advice.cache) {
    const auto found = std::ranges::find_if(advice.levers, [&](const Lever& lever) {
      return lever.change == Change::cache &&
             lever.to.starts_with(std::string(to_string(cache.keep)) + ":");
    });
    REQUIRE(found != advice.levers.end());
    CHECK(found->gain.value() == Approx(cache.to.samples_per_s / advice.now.samples_per_s));
    CHECK(found->from == "nothing");
    CHECK(found->to ==
          std::string(to_string(cache.keep)) + ":" + std::to_string(cache.bytes / mib) + "MiB");
    CHECK(found->flag == "--cache " + found->to);
    CHECK(found->why.starts_with("It counts from the second epoch on, for "));
    CHECK(found->bytes > 150 * std::int64_t{mib});
  }
  // A rank draws samples that another rank keeps.
  auto of_four = interval;
  of_four.plan.ranks = Ranks::given(0, 4);
  of_four.plan.order = Order::shuffle();
  const auto of_rank = advise(of_four, few);
  CHECK(of_rank.cache[0].share == encoded.share);
  const auto found = std::ranges::find(of_rank.levers, Change::cache, &Lever::change);
  REQUIRE(found != of_rank.levers.end());
  CHECK(found->why.starts_with("It fills over several epochs: with a shuffled order, each of 4 "));
  CHECK(advice.flags.find("--cache") == std::string::npos);
  // An order that is the same each epoch gives a rank the same samples, which are a quarter.
  of_four.plan.order = Order::sequential();
  const auto of_same = advise(of_four, few);
  CHECK(of_same.cache[0].share == Approx(4 * encoded.share).epsilon(0.001));
  CHECK(of_same.cache[0].whole_bytes == 80'000 + 2'500 * (128 + 110'016) + 67 * (64 + 55'072));
  CHECK(of_same.levers.front().why.starts_with("It counts from the second epoch on"));
  // Rows of four samples have four times the bytes. A rank's partners come from all samples.
  of_four.plan.partners = 3;
  of_four.encoded_bytes *= 4;
  CHECK(advise(of_four, few).cache[0].whole_bytes == encoded.whole_bytes);

  // A sample that does not decode is drawn, but a cache of decoded rows never has it.
  auto bad = interval;
  bad.decode.count = bad.read.count / 4;
  const auto of_bad = advise(bad, few);
  CHECK(of_bad.cache[0].whole_bytes == encoded.whole_bytes);
  CHECK(of_bad.cache[1].whole_bytes == 80'000 + 2'500 * (192 + 150'528) + 93 * 1'984);
  CHECK(advice::cached_share(bad, Cache::decoded, 1 << 30) == 0.25);
  CHECK(of_bad.cache[1].whole.samples_per_s < decoded.whole.samples_per_s / 2);

  // With random crops, decoded rows cannot be cached.
  options.fit = Fit::random;
  interval.plan = resolve(options, 0);
  CHECK(advise(interval, few).cache.size() == 1);
}

TEST_CASE("how often a cache is hit depends on the order", "[plan][cache]") {
  auto interval = interval_of({20, 2, 1, 0.3});
  interval.source_samples = 1000;
  // With its share of a segment's head and of the rest of its last page, which is the largest where a
  // segment has one row.
  const auto table = 8 * *interval.source_samples, each = std::uint64_t{192 + 150'528 + 832};
  const auto hits = [&](Order order, std::uint64_t kept) {
    interval.plan.order = std::move(order);
    return advice::cached_share(interval, Cache::decoded, table + kept * each);
  };
  for (const auto& order : {Order::sequential(), Order::shuffle(), Order::with_replacement(5000)})
    CHECK(hits(order, 250) == Approx(0.25).epsilon(0.01));
  CHECK(hits(Order::every(8), 100) == Approx(0.8));
  CHECK(hits(Order::every(8), 125) == 1);

  // The weight of the first different samples of a million draws.
  std::vector<double> weights(1000);
  for (std::size_t i = 0; i < 800; ++i) weights[i] = std::pow(0.99, i) * 1e200;
  const auto order = Order::weighted(weights);
  const auto sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const source::Sampler sampler(1000, Order::weighted(weights, 1'000'000), 3);
  std::vector<bool> seen(1000);
  std::uint64_t kept = 0;
  double weight = 0;
  for (std::uint64_t i = 0; kept < 400; ++i) {
    const auto index = sampler.index(0, source::Position(i));
    if (seen[index]) continue;
    seen[index] = true;
    ++kept;
    weight += weights[index];
    if (kept == 50 || kept == 200 || kept == 400) {
      CAPTURE(kept);
      CHECK(hits(order, kept) == Approx(weight / sum).margin(0.03));
    }
  }
  CHECK(hits(order, 50) > 0.2);
  CHECK(hits(order, 800) == 1);
}

TEST_CASE("advice repeats the given cache and says where it is no use", "[plan][cache]") {
  auto options = with_budget({}, Cache::encoded, 50 * mib);
  auto interval = interval_of({0.05, 3, 200}, 2, options);
  interval.source_samples = 1000;
  const auto advice = advise(interval, {.most_queue = 2, .most_workers = 2, .most_read_ahead = 2});
  CHECK(advice.flags.find("--cache encoded:50MiB") != std::string::npos);
  CHECK(advice.code.find("options.cache = {weir::Cache::encoded, 52428800};\n") !=
        std::string::npos);
  REQUIRE(advice.cache.size() == 2);
  CHECK(advice.cache[0].bytes == 50 * mib);
  CHECK(std::ranges::count(advice.levers, Change::cache, &Lever::change) == 0);
}

TEST_CASE("advice says what a cache of a size of one's own would bring", "[plan][cache]") {
  auto options = with_budget(GENERATE(std::optional<std::uint64_t>(), std::optional(4096 * mib)),
                             Cache::nothing);
  auto interval = interval_of({20, 2, 1, 0.3}, 2, options);
  interval.source_samples = 10'000;
  AdviceOptions wish{.most_queue = 2, .most_workers = 2, .most_read_ahead = 2};
  const auto of = [&](std::optional<std::uint64_t> bytes) {
    wish.cache_bytes = bytes;
    return advise(interval, wish);
  };
  const auto small = of(100 * mib), large = of(700 * mib), all = of(2000 * mib);
  constexpr double entries[]{10'000.0 * (128 + 110'016) + 267 * (64 + 55'072),
                             10'000.0 * (192 + 150'528) + 371 * 1'984};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &a = small.cache[i], &b = large.cache[i], &c = all.cache[i];
    CHECK(a.bytes == 100 * mib);
    CHECK(b.bytes == 700 * mib);
    CHECK(c.bytes == c.whole_bytes);
    CHECK(a.share == Approx((100.0 * mib - 80'000) / entries[i]).epsilon(0.001));
    CHECK(b.share == Approx((700.0 * mib - 80'000) / entries[i]).epsilon(0.001));
    CHECK(c.share == 1);
    CHECK(a.to.samples_per_s < b.to.samples_per_s);
    CHECK(b.to.samples_per_s < c.to.samples_per_s);
    CHECK(c.to.samples_per_s == c.whole.samples_per_s);
    // Their bytes are those of the loader and of the cache.
    CHECK(b.to.total_bytes == large.now.total_bytes + b.bytes);
    CHECK(b.whole.total_bytes == large.now.total_bytes + b.whole_bytes);
  }
  const auto lever = std::ranges::find(large.levers, Change::cache, &Lever::change);
  REQUIRE(lever != large.levers.end());
  CHECK(lever->bytes > 700 * static_cast<std::int64_t>(mib));
  CHECK(lever->result.total_bytes ==
        large.now.total_bytes + static_cast<std::uint64_t>(lever->bytes));
  CHECK(of(8000).cache[0].bytes == 0);
  CHECK(small.flags.find("--cache") == std::string::npos);

  // Independent of the cache of the measured loader, whose mode is in the advised options.
  interval.plan.cache.keep = Cache::encoded;
  interval.plan.cache.requested = interval.plan.cache.bytes = 50 * mib;
  CHECK(of({}).cache[0].bytes == 50 * mib);
  CHECK(of(100 * mib).cache[0].bytes == 100 * mib);
  CHECK(of(100 * mib).flags.find("--cache encoded:50MiB") != std::string::npos);
}

TEST_CASE("advice limits a cache of given size to what the budget has", "[plan][cache]") {
  auto interval = interval_of({20, 2, 1, 0.3}, 2, with_budget(256 * mib, Cache::nothing));
  interval.source_samples = 10'000;
  AdviceOptions wish{.most_queue = 2, .most_workers = 2, .most_read_ahead = 2};
  const auto left = advise(interval, wish).cache[0].bytes;
  wish.cache_bytes = 700 * mib;
  const auto advice = advise(interval, wish);
  CHECK(advice.cache[0].bytes == left);
}

TEST_CASE("a cache with tiles is proposed where they pay", "[plan][cache]") {
  // Two workers decode in 3 ms, with tiles in 1.5 ms. So 0.75 ms are saved for each sample and epoch.
  auto interval = interval_of({0.05, 3, 1, 0.3});
  interval.source_samples = 1000;
  AdviceOptions wish{.most_queue = 2,
                     .most_workers = 2,
                     .most_read_ahead = 2,
                     .cache_bytes = 400 * mib,
                     .decodes = {.tiles = 0.5}};
  const auto tiled = [&] {
    const auto advice = advise(interval, wish);
    const auto found = std::ranges::find_if(advice.levers, [](const Lever& lever) {
      return lever.flag.find("--cache-tiles") != std::string::npos;
    });
    return found == advice.levers.end() ? std::optional<Lever>() : *found;
  };
  CHECK_FALSE(tiled());  // the cost is unknown
  CHECK_FALSE(advise(interval, wish).cache[0].tiled);
  wish.decodes.tile_s = 4e-3;  // 2 ms for each sample, by two workers
  const auto lever = tiled();
  REQUIRE(lever);
  CHECK(lever->change == Change::cache);
  CHECK(lever->gain.value() == Approx(2).epsilon(0.05));
  CHECK(lever->from == "nothing");
  CHECK(lever->to == "encoded:109MiB with 16 tiles");
  CHECK(lever->flag == "--cache encoded:109MiB --cache-tiles 16");
  CHECK(lever->code ==
        "options.cache = {weir::Cache::encoded, 114294784};\noptions.cache.tiles = 16;\n");
  CHECK(
      lever->why ==
      "It counts from the second epoch on; the tiles take 4.00 ms of CPU time for each file once, "
      "which pays from epoch 4 on");
  CHECK(advise(interval, wish).cache[0].tiled.value().samples_per_s ==
        Approx(lever->result.samples_per_s));
  wish.epochs = 4;
  CHECK(tiled());
  wish.epochs = 3;
  CHECK_FALSE(tiled());
  wish.epochs = 90;
  wish.decodes.tile_s = 0.2;  // 100 ms for each sample
  CHECK_FALSE(tiled());
  wish.epochs = 200;
  CHECK(tiled());
  // No gain, no effect, or tiles already.
  wish.decodes.tiles = 0.99;
  CHECK_FALSE(tiled());
  wish.decodes.tiles = 0.5;
  interval.plan.cache.keep = Cache::encoded;
  interval.plan.cache.tiles = 8;
  CHECK_FALSE(tiled());
  interval.plan.cache.tiles = 0;
  CHECK(tiled());
  CHECK_FALSE(advise(interval_of({0.05, 3, 200}), wish).cache.size() > 0);
  auto slow = interval_of({0.05, 3, 200});
  slow.source_samples = 1000;
  interval = slow;  // the consumer is the limit
  CHECK_FALSE(tiled());
}

TEST_CASE("tiles in a part of the samples pay as late as in all", "[plan][cache]") {
  auto interval = interval_of({0.05, 3, 1, 0.3});
  interval.source_samples = 1000;
  const AdviceOptions wish{.most_queue = 2,
                           .most_workers = 2,
                           .most_read_ahead = 2,
                           .cache_bytes = 50 * mib,
                           .decodes = {.tiles = 0.5, .tile_s = 4e-3}};
  const auto cache = advise(interval, wish).cache[0];
  REQUIRE(cache.share < 0.5);
  REQUIRE(cache.tiled);
  CHECK(cache.tiled->samples_per_s == Approx(2 / (3e-3 * (1 - cache.share / 2))).epsilon(0.05));
  const auto from = advice::tiles_pay_from(cache, 4e-3, 2);
  REQUIRE(from);
  CHECK(*from >= 4);
  CHECK(*from <= 5);
  auto none = cache;
  none.tiled.reset();
  CHECK_FALSE(advice::tiles_pay_from(none, 4e-3, 2));
  none.tiled = none.to;
  CHECK_FALSE(advice::tiles_pay_from(none, 4e-3, 2));
}
