// Where the time goes if a device is slow to read the batches.
#include <sstream>

#include "lease_fixture.hpp"
#include "support/sanitized.hpp"
#include "support/text.hpp"
#include "support/undisturbed.hpp"
#include "weir/advice.hpp"

using namespace weir;
using namespace weir::test;

namespace {

constexpr int copy_us = 20'000;  // much longer than anything else, also on a busy machine

/// Takes and sends `batches` batches. Returns the seconds of sending: the device may begin a copy before the
/// batch is released.
double train(Leases& leases, int batches) {
  std::chrono::duration<double> sending{};
  for (int i = 0; i < batches; ++i) {
    auto batch = leases.stream->next();
    REQUIRE(batch);
    const auto begun = std::chrono::steady_clock::now();
    leases.send(std::move(*batch));
    sending += std::chrono::steady_clock::now() - begun;
  }
  return sending.count();
}

const StageStats& stage(const Report& report, Stage stage) {
  return report.stages[static_cast<std::size_t>(stage)];
}

}  // namespace

TEST_CASE("a slow device shows the regime copy in report and prediction", "[cuda][regimes]") {
  if (!only_with_stand_in()) return;
  fresh_device().slow_copies(copy_us);
  const auto max_leases = GENERATE(1u, 2u);
  CAPTURE(max_leases);
  constexpr int batches = 20;
  Leases leases(max_leases, 4 * batches, 4096);
  const auto begun = std::chrono::steady_clock::now();
  const double sending_s = train(leases, batches);
  leases.device.wait();
  REQUIRE(comes([&] { return leases.leased() == 0; }));
  const auto report = leases.loader->report();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  const auto seen = undisturbed(interval(report));
  const auto verdict = judge(seen);
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::copy);
  CHECK(contains(verdict.why, "for the device"));
  const auto& queue = report.queue;
  CHECK(queue.storage_wait_s + queue.decode_wait_s + queue.memory_wait_s + queue.device_wait_s ==
        Approx(queue.consumer_wait_s));
  const double copies_s = batches * copy_us * 1e-6;
  CHECK(queue.device_wait_s > 0.7 * copies_s);
  // What the device takes is not the consumer's time.
  CHECK(queue.consumer.sum_s < 0.5 * queue.seconds);
  const auto& copy = stage(report, Stage::copy);
  CHECK(copy.count == batches);
  CHECK(copy.bytes == stage(report, Stage::lease).bytes);
  // Under an emulator, a sleep of 20 ms can take 19.99.
  CHECK(copy.busy_s > 0.99 * copies_s - sending_s);
  // Copies that wait for each other do not count twice.
  CHECK(copy.busy_s <= took.count());
  CHECK(stage(report, Stage::lease).count == batches);
  CHECK(stage(report, Stage::lease).busy_s < copy.busy_s);

  std::ostringstream trace;
  leases.loader->write_trace(trace);
  for (const auto* name : {R"("cat":"batch","name":"copy")", R"("cat":"thread","name":"device")"})
    CHECK(contains(trace.str(), name));

  const auto advice = advise(seen);
  INFO(advice.sentence);
  CHECK(contains(advice.sentence, "Copy-bound: the consumer waits"));
  CHECK(advice.now.verdict.regime == Regime::copy);
  // No faster than the device. No slower than the run, whose start a busy machine makes longer.
  CHECK(advice.now.samples_per_s <= 1.05 * 4 / (copy_us * 1e-6));
  CHECK(advice.now.samples_per_s >= 0.75 * report.throughput.samples_per_s);
  const auto lever = [&](Change change) {
    return std::ranges::find(advice.levers, change, &Lever::change);
  };
  REQUIRE(lever(Change::copy) != advice.levers.end());
  CHECK(lever(Change::copy)->gain > 1.5);
  REQUIRE(lever(Change::pinned) != advice.levers.end());
  CHECK(lever(Change::pinned)->basis == Basis::unknown);
  CHECK(lever(Change::pinned)->flag == "--slab-memory pinned");
}

TEST_CASE("who releases at the end of a step gains by another lease", "[cuda][regimes]") {
  if (!only_with_stand_in()) return;
  fresh_device().slow_copies(copy_us);
  Leases leases(1, 80);
  for (int i = 0; i < 20; ++i) {
    auto batch = leases.stream->next();
    REQUIRE(batch);
    std::this_thread::sleep_for(std::chrono::microseconds(copy_us));
    leases.send(std::move(*batch));
  }
  const auto seen = undisturbed(interval(leases.loader->report()));
  CHECK(judge(seen).regime == Regime::copy);
  const auto advice = advise(seen);
  const auto lever = std::ranges::find(advice.levers, Change::max_leases, &Lever::change);
  REQUIRE(lever != advice.levers.end());
  INFO(lever->sentence);
  // It is 2, but a busy machine makes the consumer or the device slower than the other.
  CHECK(lever->gain > 1.1);
  CHECK(lever->code == "options.queue.max_leases = " + lever->to + ";\n");
  CHECK(lever->bytes > 0);
}

TEST_CASE("no device wait is counted while a consumer holds its lease", "[cuda][regimes]") {
  fresh_device();
  Leases leases(1);
  auto batch = leases.stream->next();
  CHECK_FALSE(leases.stream->next(std::chrono::milliseconds(2)));
  batch.reset();
  const auto report = leases.loader->report();
  CHECK(report.queue.device_wait_s == 0);
  CHECK(stage(report, Stage::copy).count == 0);
}
