#include "engine/time_histogram.hpp"

#include <cmath>
#include <numeric>
#include <thread>

#include "engine/reading.hpp"
#include "engine/thread_stats.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::engine;
using namespace std::chrono_literals;

namespace {

TimeHistogram::Counts counts(const TimeHistogram& histogram) {
  TimeHistogram::Counts all;
  histogram.add_to(all);
  return all;
}

std::uint64_t total(const TimeHistogram::Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

TEST_CASE("a quantile is within 2 % of its time from 10 ns to 1000 s", "[histogram]") {
  for (double ns = 10; ns < 1e12; ns *= 1.37) {
    TimeHistogram histogram;
    const auto time = std::chrono::nanoseconds(std::llround(ns));
    histogram.add(time);
    const auto seen = time_bins::quantile_s(counts(histogram), 0.5);
    REQUIRE(seen);
    CAPTURE(ns, *seen);
    CHECK(std::abs(*seen / seconds(time) - 1) <= 0.02);
  }
}

TEST_CASE("quantiles are those of the nearest rank", "[histogram]") {
  TimeHistogram histogram;
  for (int ms = 1; ms <= 100; ++ms) histogram.add(std::chrono::milliseconds(ms));
  const auto all = counts(histogram);
  CHECK(total(all) == 100);
  for (const auto& [quantile, ms] :
       {std::pair(0.0, 1.0), {0.5, 50.0}, {0.9, 90.0}, {0.99, 99.0}, {1.0, 100.0}}) {
    CAPTURE(quantile);
    CHECK(std::abs(*time_bins::quantile_s(all, quantile) * 1e3 / ms - 1) <= 0.02);
  }
}

TEST_CASE("times outside the bins count in the nearest bin", "[histogram]") {
  TimeHistogram histogram;
  CHECK_FALSE(time_bins::quantile_s(counts(histogram), 0.5));
  histogram.add(-1s);
  histogram.add(0s);
  CHECK(time_bins::quantile_s(counts(histogram), 1) == 1e-8);
  histogram.add(1h);
  CHECK(time_bins::quantile_s(counts(histogram), 1) == 1e3);
  CHECK(total(counts(histogram)) == 3);
}

TEST_CASE("threads share a lane, and lanes add up", "[histogram]") {
  constexpr int times = 5000;
  ThreadStats one(1), other(1);
  const auto note = [&](ThreadStats& thread_stats) {
    for (int i = 0; i < times; ++i) thread_stats.add(Stage::read, 2ms, 10);
  };
  std::thread a([&] { note(one); }), b([&] { note(one); }), c([&] { note(other); });
  TimeHistogram::Counts while_at_it;
  StageStats ignored{.stage = Stage::read};
  one.add_to(ignored, while_at_it);
  a.join();
  b.join();
  c.join();
  StageStats clock{.stage = Stage::read};
  TimeHistogram::Counts all;
  one.add_to(clock, all);
  other.add_to(clock, all);
  CHECK(total(all) == 3 * times);
  CHECK(clock.bytes == 30 * times);
  CHECK(std::abs(clock.busy_s - 3 * times * 2e-3) < 1e-6);
  CHECK(std::abs(clock.squares_s2 - 3 * times * 4e-6) < 1e-6);
}

TEST_CASE("a read under way counts, and what was read before it", "[histogram]") {
  ThreadStats thread_stats(1);
  const auto start = Clock::now();
  CHECK(thread_stats.reading(start) == 0s);
  {
    Reading reading(&thread_stats, start);
    CHECK(thread_stats.reading(start + 3s) == 3s);
    reading.end(start + 5s);
    CHECK(thread_stats.reading(start + 6s) == 5s);
  }
  CHECK(thread_stats.reading(start + 7s) == 5s);
  thread_stats.read_begins(start + 10s);
  CHECK(thread_stats.reading(start + 11s) == 6s);
}
