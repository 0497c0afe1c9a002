#include "advice/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/time_bins.hpp"
#include "support/catch.hpp"
#include "unit/advice/intervals.hpp"
#include "weir/advice.hpp"

using namespace weir;
using test::interval_of;
using test::within;

namespace {

/// A batch takes 2 ms fifteen times, then 150 ms.
Service bursts() {
  Service service{.count = 512, .mean_s = 180e-3 / 16, .deviation_s = 36e-3};
  for (int i = 0; i < 512; ++i) service.sequence.push_back(i % 16 == 15 ? 0.15 : 0.002);
  return service;
}

}  // namespace

TEST_CASE("draws are log-normal with the given variation and mean 1", "[plan]") {
  constexpr std::size_t count = 32'768;
  for (const double variation : {0.1, 0.5, 1.0}) {
    const advice::Draws draws(count, Service{.mean_s = 1, .deviation_s = variation}, 7);
    double sum = 0, squares = 0, logs = 0, log_squares = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = draws[i], log = std::log(x);
      sum += x;
      squares += x * x;
      logs += log;
      log_squares += log * log;
    }
    const double n = count;
    CHECK(within(sum / n, 1.0, 1e-9));
    CHECK(within(std::sqrt(squares / n - 1), variation, 0.05));
    // The logarithm of a log-normal is normal with mean -s^2/2 and deviation s.
    const double s = std::sqrt(std::log1p(variation * variation));
    CHECK(within(std::sqrt(log_squares / n - logs * logs / n / n), s, 0.03));
    CHECK(within(logs / n, -s * s / 2, 0.05));
    CHECK(draws[5] == draws[5 + count]);
  }
  const advice::Draws constant(count, Service{}, 7);
  CHECK((constant[0] == 1.0 && constant[12'345] == 1.0));
}

TEST_CASE("draws of a measured distribution are its times, reordered", "[plan]") {
  // One read in a hundred takes 500 ms, the others 5 ms.
  Service service{.count = 1000, .mean_s = 9.95e-3, .deviation_s = 49e-3};
  service.times.resize(time_bins::counters);
  service.times[time_bins::bin_of(0.005)] = 990;
  service.times[time_bins::bin_of(0.5)] = 10;
  constexpr std::size_t count = 4000;
  const advice::Draws draws(count, service, 7);
  const auto slow = [&](std::size_t from, std::size_t to) {
    int found = 0;
    for (auto i = from; i < to; ++i) found += draws[i] > 10 ? 1 : 0;
    return found;
  };
  CHECK(slow(0, count) == 40);
  CHECK(slow(0, count / 2) > 5);
  CHECK(slow(count / 2, count) > 5);
  CHECK(within(draws.sum(0, count), count, 1e-9));
  const auto most = std::max(draws[0], draws[1]);
  CHECK((most < 1 || most > 10));
}

TEST_CASE("draws of a measured sequence repeat it", "[plan]") {
  const advice::Draws draws(64, bursts(), 7);
  for (std::uint64_t i : {0u, 14u, 16u, 1000u}) CHECK(within(draws[i], 0.002 / 0.01125, 1e-9));
  for (std::uint64_t i : {15u, 31u, 527u}) CHECK(within(draws[i], 0.15 / 0.01125, 1e-9));
}

TEST_CASE("a consumer with bursts is predicted as a cycle of its own", "[plan]") {
  // 1000 rows a second, 32 to a batch: 16 batches take 512 ms, and the consumer 180 ms of them. A
  // deep queue is filled the whole time. A queue of 1 is full 32 ms after the burst of 150 ms began.
  auto interval = interval_of({0, 2, 11.25}, 2);
  interval.consumer = bursts();
  const auto rate = [&](std::uint32_t depth) {
    return predict(interval, {.max_queue_size = depth, .workers = 2, .read_ahead = 0, .batch = 32})
        .samples_per_s;
  };
  CHECK(within(rate(8), 1000, 0.01));
  CHECK(within(rate(1), 1000 * 512.0 / (512 + 150 - 32), 0.02));
}

TEST_CASE("decodes that need no core run side by side on any core count", "[plan]") {
  auto interval = interval_of({0, 4, 0}, 2, {.batch = 32, .workers = 2});
  const Setting eight{.max_queue_size = 4, .workers = 8, .read_ahead = 0, .batch = 32};
  CHECK(within(predict(interval, eight).samples_per_s, 500, 0.02));
  interval.decode_cpu_s = 0.1e-3;
  CHECK(within(predict(interval, eight).samples_per_s, 2000, 0.02));
}

TEST_CASE("blank rows are predicted without a decode", "[plan]") {
  Options options;
  options.faults.policy = OnFault::blank;
  auto interval = interval_of({0, 8, 1}, 2, options);
  interval.decode.count = interval.samples / 4;
  interval.seconds /= 4;
  const auto at = predict(interval, setting_of(interval.plan)).samples_per_s;
  CHECK(within(at, static_cast<double>(interval.samples) / interval.seconds, 0.05));
  // The hits of a cache of decoded rows are of those that decode.
  const auto work = advice::workload_of(interval, 32, 0);
  CHECK(within(work.decodes, 0.25, 0.01));
  const auto cached = advice::with_cache(work, interval.plan, Cache::decoded, work.decodes);
  CHECK(cached.decodes < 1e-9);
  // Reads under way are no bad samples.
  interval.decode.count = interval.read.count - interval.plan.workers;
  CHECK(advice::workload_of(interval, 32, 0).decodes == 1);
}
