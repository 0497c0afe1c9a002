#include "support/catch.hpp"
#include "workload.hpp"

// Margins are wide, and slow operations sleep. So a busy machine moves shares by a few per cent,
// but not from one regime to another. What the kernel counts as waits for a CPU is left out:
// cpu_test.cpp has these.

using namespace weir;
using namespace weir::test;

namespace {

AnySource slow(int delay_ms, ImageSize shape = little) {
  auto state = std::make_shared<SlowSource::State>();
  state->delay_ms = delay_ms;
  return SlowSource(1'000'000, shape, std::move(state));
}

/// Large JPEGs in memory, made once: decoding takes all the time.
AnySource heavy_to_decode() { return slow(0, {1200, 1600}); }

Options needs_the_reserve(const AnySource& source) {
  // The budget has room for one sample, the oldest. The samples of all other workers are refused.
  auto options = two_workers();
  options.workers = 6;
  options.fit = Fit::stretch;
  options.memory.max_sample_bytes = 8 << 20;
  options.memory.budget_bytes = resolve(options, source.index_bytes()).floor_bytes;
  return options;
}

}  // namespace

TEST_CASE("slow reads give the regime storage whatever the read-ahead", "[regimes]") {
  auto options = two_workers();
  options.io.read_ahead = GENERATE(0u, 3u);
  const auto verdict = regime_of(slow(20), options, 10, 0);
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::storage);
  CHECK(verdict.storage_wait > 0.5);
}

TEST_CASE("heavy images and a consumer that does nothing make it decode", "[regimes]") {
  const auto verdict = regime_of(heavy_to_decode(), two_workers(), 6, 0);
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::decode);
  CHECK(verdict.decode_wait > 0.5);
}

TEST_CASE("a consumer that takes its time makes it consumer", "[regimes]") {
  auto options = two_workers();
  options.io.read_ahead = GENERATE(0u, 2u);
  const auto verdict = slow_consumer(slow(0), options, 12);
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::consumer);
  CHECK(verdict.producer_wait > 0.5);
}

TEST_CASE("a budget at its floor makes it memory", "[regimes]") {
  const auto source = heavy_to_decode();
  const auto verdict = regime_of(source, needs_the_reserve(source), 6, 0);
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::memory);
  CHECK(verdict.memory_wait > verdict.decode_wait);
}

TEST_CASE("the simulation names the regime that was measured", "[regimes]") {
  const auto same = [](const AnySource& source, const Options& options, int batches, int work_ms) {
    Loader loader(source, options);
    auto stream = loader.stream({.epochs = std::nullopt});
    consume(stream, batches, work_ms);
    const auto seen = undisturbed(interval(loader.report()));
    const auto measured = judge(seen), predicted = predict(seen, setting_of(seen.plan)).verdict;
    INFO("measured: " << measured.why);
    INFO("predicted: " << predicted.why);
    CHECK(predicted.regime == measured.regime);
  };
  auto options = two_workers();
  options.io.read_ahead = GENERATE(0u, 3u);
  same(slow(20), options, 20, 0);
  same(slow(0), options, 12, 40);
  same(heavy_to_decode(), options, 6, 0);
}

TEST_CASE("a consumer as fast as the producers makes it balanced", "[regimes]") {
  // The consumer works on a batch until a third of the queue is ready. So it never waits for the
  // next one, and the queue is never full, on any machine.
  auto options = two_workers();
  options.batch = 2;
  options.queue.max_queue_size = 24;
  Loader loader(slow(10), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  const auto work = [&] {
    while (loader.snapshot().ready < 8) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  work();
  const auto begun = loader.report();
  for (int i = 0; i < 40; ++i) {
    const auto batch = stream.next();
    work();
  }
  const auto verdict = judge(undisturbed(interval(begun, loader.report())));
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::balanced);
}

TEST_CASE("of two slow things the slower one is the regime", "[regimes]") {
  SECTION("slow reads, a slower consumer") {
    const auto verdict = slow_consumer(slow(5), two_workers(), 12);
    INFO(verdict.why);
    CHECK(verdict.regime == Regime::consumer);
  }
  SECTION("a slow consumer, slower reads") {
    // Two workers make a batch of four in 60 ms, on any number of cores.
    const auto verdict = regime_of(slow(30), two_workers(), 12, 6);
    INFO(verdict.why);
    CHECK(verdict.regime == Regime::storage);
  }
  SECTION("some decoding, slower reads") {
    const auto verdict = regime_of(slow(60, {200, 300}), two_workers(), 6, 0);
    INFO(verdict.why);
    CHECK(verdict.regime == Regime::storage);
    CHECK(verdict.decode_wait > 0);
  }
  SECTION("a budget at its floor, a slower consumer") {
    const auto source = slow(0, {300, 400});
    auto options = needs_the_reserve(source);
    const auto verdict = slow_consumer(source, options, 6);
    INFO(verdict.why);
    CHECK(verdict.regime == Regime::consumer);
  }
}

TEST_CASE("a change in mid-run is seen between two reports", "[regimes]") {
  auto state = std::make_shared<SlowSource::State>();
  state->delay_ms = 20;
  Loader loader(SlowSource(1'000'000, little, state), two_workers());
  auto stream = loader.stream({.epochs = std::nullopt});
  consume(stream, 10, 0);
  const auto half = loader.report();
  CHECK(half.regime == to_string(judge(interval(half)).regime));
  state->delay_ms = 0;
  consume(stream, 12, 40);
  const auto end = loader.report();
  const auto first = judge(undisturbed(interval(half))),
             second = judge(undisturbed(interval(half, end)));
  INFO(first.why);
  INFO(second.why);
  CHECK(first.regime == Regime::storage);
  CHECK(second.regime == Regime::consumer);
  CHECK(interval(half, end).batches == 12);
  state->delay_ms = 20;
  consume(stream, 10, 0);
  CHECK(judge(undisturbed(interval(end, loader.report()))).regime == Regime::storage);
}
