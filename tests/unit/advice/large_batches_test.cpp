#include <cmath>

#include "advice/plan_with.hpp"
#include "advice/workload.hpp"
#include "support/catch.hpp"
#include "support/cpu_time.hpp"
#include "unit/advice/intervals.hpp"

using namespace weir;
using test::interval_of;
using test::of_batch;

namespace {

Setting with_batch(std::uint32_t batch, std::uint32_t depth, std::uint32_t workers,
                   std::uint32_t read_ahead = 0) {
  return {.max_queue_size = depth, .workers = workers, .read_ahead = read_ahead, .batch = batch};
}

}  // namespace

TEST_CASE("a batch simulated in groups is predicted as row by row", "[plan]") {
  // A consumer that is as fast as decoding, so that every wait counts.
  const test::Times times =
      GENERATE(test::Times{4, 3, 2400, 0.8}, test::Times{0.05, 3, 3100, 0.5, 0.3});
  const Setting wanted =
      GENERATE(with_batch(2048, 1, 2), with_batch(2048, 4, 2), with_batch(2048, 2, 4, 16));
  CAPTURE(times.read, times.consumer, wanted.max_queue_size, wanted.workers, wanted.read_ahead);
  const auto interval = interval_of(times, 4, of_batch(2048));
  auto work = advice::workload_of(interval, 2048, 0);
  const auto plan = advice::plan_with(interval.plan, wanted, {});
  const auto grouped = predict(plan, work, interval.encoded_bytes);
  work.least_groups = UINT32_MAX;
  const auto row_by_row = predict(plan, work, interval.encoded_bytes);
  CHECK(std::abs(grouped.samples_per_s - row_by_row.samples_per_s) <=
        0.03 * row_by_row.samples_per_s);
  CHECK(std::abs(grouped.consumer_wait - row_by_row.consumer_wait) < 0.04);
}

TEST_CASE("the cost of advice does not grow with the batch", "[plan]") {
  const auto cost = [](std::uint32_t batch) {
    const auto interval = interval_of({0.05, 3, 0.1 * batch, 0.5}, 2, of_batch(batch));
    return test::least_cpu_ms([&] { (void)predict(interval, with_batch(batch, 4, 2)); });
  };
  // Row by row it would be 512 times the cost.
  const auto small = cost(512);
  CHECK(cost(512 * 512) < 50 * small);
}

TEST_CASE("a stop ends advice and predictions at once", "[plan]") {
  const auto interval = interval_of({20, 3, 100, 0.5});
  std::stop_source stop;
  stop.request_stop();
  AdviceOptions options;
  options.stop = stop.get_token();
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return std::error_code();
  };
  CHECK(code_of([&] { (void)advise(interval, options); }) == Errc::stopped);
  CHECK(code_of([&] { (void)predict(interval, with_batch(32, 4, 2), 0, stop.get_token()); }) ==
        Errc::stopped);
}
