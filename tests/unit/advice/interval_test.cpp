#include "weir/advice.hpp"

#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir;
using test::Approx;

namespace {

/// An interval of 10 s with the given shares of waits of two workers and the consumer.
Interval waits(double idle, double storage, double decode, double memory) {
  Interval w;
  w.seconds = 10;
  w.workers.idle_s = idle * 20;
  w.workers.decode_s = (1 - idle) * 20;
  w.storage_wait_s = storage * 10;
  w.decode_wait_s = decode * 10;
  w.memory_wait_s = memory * 10;
  w.consumer_wait_s = w.storage_wait_s + w.decode_wait_s + w.memory_wait_s;
  return w;
}

Regime regime(double idle, double storage, double decode, double memory) {
  return judge(waits(idle, storage, decode, memory)).regime;
}

StageStats stage(Stage which, std::uint64_t count, double each, std::uint64_t bytes) {
  const auto n = static_cast<double>(count);
  return {.stage = which,
          .count = count,
          .busy_s = n * each,
          .squares_s2 = n * each * each,
          .bytes = bytes * count};
}

/// The report after `n` batches of four samples, each of 100 encoded bytes.
Report after(std::uint64_t n) {
  Report r;
  r.plan.shape = {2, 2};
  r.plan.workers = 2;
  const auto d = static_cast<double>(n);
  r.queue.seconds = d;
  r.queue.consumer_wait_s = 0.5 * d;
  r.queue.storage_wait_s = 0.3 * d;
  r.queue.decode_wait_s = 0.15 * d;
  r.queue.memory_wait_s = 0.05 * d;
  r.queue.batches = n;
  r.queue.samples = 4 * n;
  r.queue.batches_ready = n / 2;
  r.queue.consumer = {n, 0.25 * d, 0.0625 * d};
  r.queue.workers = {.read_s = 0.1 * d,
                     .decode_s = 0.9 * d,
                     .storage_wait_s = 0.2 * d,
                     .memory_wait_s = 0.3 * d,
                     .idle_s = 0.5 * d};
  r.stages = {stage(Stage::read, 4 * n, 0.01, 100), stage(Stage::decode, 4 * n, 0.02, 100),
              stage(Stage::fit, 4 * n, 0.005, 12), stage(Stage::handoff, n, 0.001, 4 * 12)};
  return r;
}

}  // namespace

TEST_CASE("the longer wait decides, of the consumer its largest stall", "[interval]") {
  CHECK(regime(0.05, 0.05, 0.03, 0.01) == Regime::balanced);
  CHECK(regime(0.6, 0.05, 0.03, 0.01) == Regime::consumer);
  CHECK(regime(0.0, 0.6, 0.2, 0.1) == Regime::storage);
  CHECK(regime(0.0, 0.2, 0.6, 0.1) == Regime::decode);
  CHECK(regime(0.0, 0.2, 0.1, 0.6) == Regime::memory);
}

TEST_CASE("where both wait, the longer wait decides", "[interval]") {
  CHECK(regime(0.3, 0.0, 0.2, 0.0) == Regime::consumer);
  CHECK(regime(0.2, 0.0, 0.3, 0.0) == Regime::decode);
  CHECK(regime(0.3, 0.1, 0.1, 0.15) == Regime::memory);
  CHECK(regime(0.25, 0.0, 0.25, 0.0) == Regime::decode);
}

TEST_CASE("a tenth is no wait that matters, more is", "[interval]") {
  CHECK(regime(0.1, 0, 0, 0) == Regime::balanced);
  CHECK(regime(0.1001, 0, 0, 0) == Regime::consumer);
  CHECK(regime(0, 0.1, 0, 0) == Regime::balanced);
  CHECK(regime(0, 0.1001, 0, 0) == Regime::storage);
  // The sum of the stalls decides.
  CHECK(regime(0, 0.05, 0.04, 0.03) == Regime::storage);
}

TEST_CASE("stalls that are equal: decode before storage before memory", "[interval]") {
  CHECK(regime(0, 0.2, 0.2, 0.2) == Regime::decode);
  CHECK(regime(0, 0.2, 0.1, 0.2) == Regime::storage);
  CHECK(regime(0, 0.1, 0.2, 0.2) == Regime::decode);
}

TEST_CASE("a verdict has the shares and says them", "[interval]") {
  const auto verdict = judge(waits(0.02, 0.4, 0.15, 0.05));
  CHECK(verdict.consumer_wait == Approx(0.6));
  CHECK(verdict.producer_wait == Approx(0.02));
  CHECK(verdict.storage_wait == Approx(0.4));
  CHECK(verdict.decode_wait == Approx(0.15));
  CHECK(verdict.memory_wait == Approx(0.05));
  CHECK(verdict.why ==
        "of 10 s the consumer waited 60.0 % (40.0 % for reads, 15.0 % for decoding, 5.0 % for "
        "memory), the workers 2.0 %");
}

TEST_CASE("a slow device is the regime even where the workers wait", "[interval]") {
  const auto judged = [](double idle, double decode, double device) {
    auto w = waits(idle, 0, decode, 0);
    w.device_wait_s = device * 10;
    w.consumer_wait_s += w.device_wait_s;
    return judge(w);
  };
  CHECK(judged(0.95, 0, 0.5).regime == Regime::copy);
  CHECK(judged(0.95, 0, 0.11).regime == Regime::copy);
  CHECK(judged(0.95, 0, 0.1).regime == Regime::consumer);
  CHECK(judged(0, 0.4, 0.3).regime == Regime::decode);
  CHECK(judged(0.3, 0.2, 0.15).regime == Regime::consumer);
  CHECK(judged(0.05, 0.04, 0.05).regime == Regime::balanced);
  const auto verdict = judged(0.95, 0.1, 0.5);
  CHECK(verdict.device_wait == Approx(0.5));
  CHECK(verdict.consumer_wait == Approx(0.6));
  CHECK(verdict.why ==
        "of 10 s the consumer waited 60.0 % (0.0 % for reads, 10.0 % for decoding, 0.0 % for "
        "memory, 50.0 % for the device), the workers 95.0 %");
}

TEST_CASE("of encoded rows, no text says that they are decoded", "[interval]") {
  auto w = waits(0.02, 0.1, 0.4, 0.05);
  w.encoded = true;
  const auto verdict = judge(w);
  CHECK(verdict.regime == Regime::decode);
  CHECK(contains(verdict.why, "40.0 % for headers and copies, 5.0 % for memory"));
  CHECK(describe(verdict) ==
        "Decode-bound: the consumer waits 55 % of its time, 73 % of that for headers and copies.");
}

TEST_CASE("nothing measured is balanced, without a division by zero", "[interval]") {
  const auto verdict = judge(interval(Report{}));
  CHECK(verdict.regime == Regime::balanced);
  CHECK(verdict.consumer_wait == 0);
  CHECK(verdict.producer_wait == 0);
  CHECK(interval(Report{}).samples == 0);
  CHECK(interval(Report{}).data_readiness == 1);
}

TEST_CASE("regimes have the words of the design", "[interval]") {
  CHECK(to_string(Regime::balanced) == "balanced");
  CHECK(to_string(Regime::storage) == "storage");
  CHECK(to_string(Regime::decode) == "decode");
  CHECK(to_string(Regime::consumer) == "consumer");
  CHECK(to_string(Regime::memory) == "memory");
  CHECK(to_string(Regime::cpu) == "cpu");
}

TEST_CASE("mean and deviation of times come from their sums", "[interval]") {
  const auto times = service({.count = 4, .sum_s = 2 + 4 + 4 + 6, .squares_s2 = 4 + 16 + 16 + 36});
  CHECK(times.count == 4);
  CHECK(times.mean_s == Approx(4));
  CHECK(times.deviation_s == Approx(1.41421356));
  CHECK(service({}).mean_s == 0);
  // Rounding errors below zero become zero.
  CHECK(service({.count = 3, .sum_s = 0.3, .squares_s2 = 0.03 - 1e-12}).deviation_s == 0);
}

TEST_CASE("an interval is what lies between two reports", "[interval]") {
  const auto w = interval(after(10), after(40));
  CHECK(w.seconds == Approx(30));
  CHECK(w.batches == 30);
  CHECK(w.samples == 120);
  CHECK(w.read.count == 120);
  CHECK(w.read.mean_s == Approx(0.01));
  CHECK(w.decode.count == 120);
  CHECK(w.decode.mean_s == Approx(0.025));
  CHECK(w.decode.deviation_s == Approx(0).margin(1e-6));
  CHECK(w.consumer.count == 30);
  CHECK(w.consumer.mean_s == Approx(0.25));
  CHECK(w.encoded_bytes == Approx(100));
  CHECK(w.consumer_wait_s == Approx(15));
  CHECK(w.storage_wait_s == Approx(9));
  CHECK(w.decode_wait_s == Approx(4.5));
  CHECK(w.memory_wait_s == Approx(1.5));
  CHECK(w.data_readiness == Approx(0.5));
  CHECK(w.workers.read_s == Approx(3));
  CHECK(w.workers.decode_s == Approx(27));
  CHECK(w.workers.storage_wait_s == Approx(6));
  CHECK(w.workers.memory_wait_s == Approx(9));
  CHECK(w.workers.idle_s == Approx(15));
  CHECK(w.plan.workers == 2);
  CHECK(w.cores >= 1);
}

TEST_CASE("an interval can start with the loader or be empty", "[interval]") {
  CHECK(interval(after(40)).samples == 160);
  CHECK(interval(after(40)).seconds == Approx(40));
  const auto none = interval(after(40), after(40));
  CHECK(none.samples == 0);
  CHECK(none.seconds == 0);
  CHECK(none.data_readiness == 1);
  CHECK(judge(none).regime == Regime::balanced);
  // Reports in the wrong order give no negative times.
  CHECK(interval(after(40), after(10)).consumer_wait_s == 0);
}

TEST_CASE("an interval averages the CPU time of its reads and decodes", "[interval]") {
  auto earlier = after(10), now = after(30);
  CHECK_FALSE(interval(earlier, now).read_cpu_s);
  earlier.stages[0].cpu_s = 5;
  earlier.stages[0].cpu_count = 2;
  now.stages[0].cpu_s = 5.04;
  now.stages[0].cpu_count = 10;
  CHECK(interval(earlier, now).read_cpu_s.value() == Approx(0.005));
  now.stages[0].cpu_s = 5;
  CHECK(interval(earlier, now).read_cpu_s == 0);  // it was measured
  CHECK_FALSE(interval(earlier, now).decode_cpu_s);
  now.stages[1].cpu_s = 0.06;
  now.stages[1].cpu_busy_s = 0.08;
  CHECK(interval(earlier, now).decode_cpu_s.value() ==
        Approx(0.75 * interval(earlier, now).decode.mean_s));
}
