#include "cli/measure.hpp"

#include <pthread.h>

#include <algorithm>
#include <csignal>

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

Regime predicted_regime(const Interval& interval) { return cli::prediction(interval).regime; }

}  // namespace

TEST_CASE("an unmeasured setting is judged like a measured one", "[tune]") {
  CHECK(predicted_regime(requested({200, 1, 0, 0.5}, 0)) == Regime::storage);
  CHECK(predicted_regime(requested({50, 3, 200, 0.5}, 64)) == Regime::consumer);
  CHECK(predicted_regime(requested({50, 3, 20, 0.5}, 64)) == Regime::decode);
  CHECK(predicted_regime(requested({50, 3, 50, 0.2}, 64)) == Regime::balanced);
  Options tight;
  tight.memory.budget_bytes = 24ull << 20;
  tight.queue.max_queue_size = 1;
  auto interval = requested({50, 3, 0, 0.5}, 32, tight);
  interval.encoded_bytes = 400e3;
  CHECK(predicted_regime(interval) == Regime::memory);
}

TEST_CASE("a signal after the report does not end the program", "[interrupt]") {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  { const cli::Interrupt interrupt; }
  pthread_sigmask(SIG_SETMASK, &before, &after);
  for (const int signal : {SIGINT, SIGTERM}) CHECK(sigismember(&after, signal) == 1);
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
