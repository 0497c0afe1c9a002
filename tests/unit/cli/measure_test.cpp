#include "cli/measure.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/text.hpp"
#include "unit/advice/intervals.hpp"

using namespace weir;
using test::contains;
using test::interval_of;

namespace {

/// An interval measured with read-ahead that differs from the requested one in the plan.
Interval requested(const test::Times& times, std::uint32_t read_ahead, Options options = {}) {
  options.io.read_ahead = read_ahead;
  return interval_of(times, 2, options);
}

Regime prediction(const Interval& interval) { return cli::prediction(interval).regime; }

}  // namespace

TEST_CASE("an unmeasured setting is judged like a measured one", "[tune]") {
  CHECK(prediction(requested({200, 1, 0, 0.5}, 0)) == Regime::storage);
  CHECK(prediction(requested({50, 3, 200, 0.5}, 64)) == Regime::consumer);
  CHECK(prediction(requested({50, 3, 20, 0.5}, 64)) == Regime::decode);
  CHECK(prediction(requested({50, 3, 50, 0.2}, 64)) == Regime::balanced);
  Options tight;
  tight.memory.budget_bytes = 24ull << 20;
  tight.queue.max_queue_size = 1;
  auto interval = requested({50, 3, 0, 0.5}, 32, tight);
  interval.encoded_bytes = 400e3;
  CHECK(prediction(interval) == Regime::memory);
}

TEST_CASE("a predicted verdict names its setting and its numbers", "[tune]") {
  const auto verdict = cli::prediction(requested({50, 3, 0, 0.5}, 0));
  CHECK(verdict.why.starts_with("with read_ahead 0 the consumer would wait "));
  CHECK(
      verdict.why.ends_with("a read takes 50.0 ms, a decode 3.0 ms, the consumer 0.0 ms a batch"));
  // The given time of the consumer is longer than the measured one.
  auto longer = requested({0.05, 3, 40, 0.5}, 0);
  longer.consumer = {1, 0.5, 0};
  const auto slow = cli::prediction(longer);
  CHECK(slow.regime == Regime::consumer);
  CHECK(contains(slow.why, "the consumer 500.0 ms a batch"));
}

TEST_CASE("depths near the advised one are predicted within the budget", "[tune]") {
  Options options;
  options.memory.budget_bytes = 64ull << 20;
  auto interval = interval_of({0.05, 3, 58, 0.5, 1.0}, 2, options);
  const auto depths = [&](std::uint32_t around) {
    std::vector<std::uint32_t> found;
    for (const auto& one : cli::by_depth(interval, {around, 2, 0, 32})) {
      CHECK(one.setting.workers == 2);
      CHECK(one.samples_per_s > 0);
      found.push_back(one.setting.max_queue_size);
    }
    return found;
  };
  CHECK(depths(1) == std::vector<std::uint32_t>{1, 2, 4, 8});
  CHECK(depths(6) == std::vector<std::uint32_t>{1, 2, 4, 5, 6, 7, 8});
  interval = interval_of({0.05, 3, 58, 0.5, 1.0}, 2);
  CHECK(depths(12) == std::vector<std::uint32_t>{1, 2, 4, 8, 11, 12, 13, 16});
  CHECK(depths(1u << 20).back() == 1u << 20);  // the largest depth
  // A larger depth has at least the throughput and more bytes.
  const auto found = cli::by_depth(interval, {12, 2, 0, 32});
  for (std::size_t i = 1; i < found.size(); ++i) {
    CHECK(found[i].samples_per_s >= 0.998 * found[i - 1].samples_per_s);
    CHECK(found[i].staging_bytes > found[i - 1].staging_bytes);
  }
  interval.consumer = {1, 0.5, 0};
  CHECK(cli::by_depth(interval, {4, 2, 0, 32}).front().samples_per_s <= 64.1);
}

TEST_CASE("a run is evidence if it is long, predictable, of one setting", "[tune]") {
  Report figures;
  figures.plan = resolve(Options{.workers = 2}, 0);
  figures.setting = setting_of(figures.plan);
  figures.queue.seconds = 2;
  figures.stages = {{.stage = Stage::decode, .count = 320, .busy_s = 1},
                    {.stage = Stage::handoff, .count = 10}};
  figures.queue.samples = 320;
  REQUIRE(cli::evidence(figures));
  CHECK(cli::evidence(figures)->samples == 320);
  const auto is_none = [&](auto change) {
    auto changed = figures;
    change(changed);
    return !cli::evidence(changed);
  };
  CHECK(is_none([](Report& r) { r.queue.seconds = 0.9; }));
  CHECK(is_none([](Report& r) { r.stages[1].count = 7; }));
  CHECK(is_none([](Report& r) { r.stages[0].count = 0; }));
  CHECK(is_none([](Report& r) { r.moves.emplace_back("read_ahead 0 to 4"); }));
  CHECK(is_none([](Report& r) { r.setting.max_queue_size = 1; }));
  CHECK(is_none([](Report& r) { r.plan.sizes.mode = Sizes::padded; }));
  CHECK(is_none([](Report& r) { r.plan.cache.keep = Cache::decoded; }));
}
