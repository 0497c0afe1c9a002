// The laws of batches that the trainer asks for.
#include <algorithm>
#include <chrono>
#include <thread>

#include "contract/laws/breach.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// Asks of 1 to 4 samples of `size`.
std::vector<std::vector<std::uint64_t>> some_asks(std::uint64_t number, std::uint64_t size) {
  Random random(9, 0, 0, 0);
  std::vector<std::vector<std::uint64_t>> asks(number);
  for (auto& ask : asks)
    for (auto rows = 1 + random.below(4); rows > 0; --rows) ask.push_back(random.below(size));
  return asks;
}

/// Asks as far ahead as `requests` allow, and calls `each` for each batch.
template <class Each>
void ask_all(Requests& requests, const std::vector<std::vector<std::uint64_t>>& asks, Each each) {
  auto next = asks.begin();
  for (;;) {
    while (next != asks.end() && requests.try_ask(*next)) ++next;
    auto batch = requests.next();
    if (!batch) return;
    each(std::move(*batch));
  }
}

Options with_floor(Options options, const AnySource& source) {
  options.memory.max_sample_bytes = 80'000;
  options.memory.budget_bytes = Loader(source, options).plan().floor_bytes;
  return options;
}

}  // namespace

TEST_CASE("determinism: requests are the same whatever the machine", "[law][requests]") {
  const bool steps = GENERATE(false, true);
  auto options = small_options(steps);
  options.fit = Fit::random;
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 64 << 10;
  const auto asks = some_asks(30, 40);
  const auto run = [&](const Options& o, std::uint32_t outstanding) {
    Loader loader(Flawed(40, 7), o);
    Log log;
    auto requests = loader.requests({.max_outstanding = outstanding});
    ask_all(requests, asks, [&](const Batch& batch) { log.add(batch); });
    return log;
  };
  const auto reference = run(options, 20);
  REQUIRE(reference.sequences.size() == 30);
  std::size_t row = 0;
  for (const auto& ask : asks)
    for (const auto index : ask) {
      if (index % 7 != 3) CHECK(reference.indices[row] == index);
      ++row;
    }
  CHECK(row == reference.indices.size());
  for (const auto& other : on_other_machines(options)) CHECK(run(other, 5) == reference);
  // The loader's order has no effect, not even on replacements.
  for (const auto& order : {Order::shuffle(), Order::every(8, 5)}) {
    auto other = options;
    other.order = order;
    CHECK(run(other, 20) == reference);
  }
  options.seed = 6;
  CHECK_FALSE(run(options, 20).pixels == reference.pixels);
}

TEST_CASE("sum, bound, conservation and queue hold while a trainer asks", "[law][requests]") {
  const auto policy = GENERATE(OnFault::blank, OnFault::skip);
  const Flawed source(50, 9);
  auto options = small_options();
  options.faults.policy = policy;
  options.queue = {3, 2};
  options = with_floor(options, source);
  *options.memory.budget_bytes += 10'000;
  Loader loader(source, options);
  Monitor monitor(loader, breach_of);
  const auto asks = some_asks(200, 50);
  std::uint64_t rows = 0, batches = 0;
  {
    auto requests = loader.requests({.max_outstanding = 6});
    std::optional<Batch> held;
    ask_all(requests, asks, [&](Batch batch) {
      CHECK(batch.sequence() == batches++);
      rows += batch.size();
      CHECK(requests.outstanding().size() <= 6 * 4);
      // Batches end out of order, and in different ways.
      if (batches % 3 == 0)
        std::move(batch).discard();
      else if (batches % 3 == 1)
        held.emplace(std::move(batch));
      else
        held.reset();
    });
    held.reset();
    CHECK(requests.outstanding().empty());
    // A cancel with asks under way.
    for (const auto& ask : some_asks(6, 50)) requests.ask(ask);
    requests.cancel();
  }
  CHECK(monitor.complaint().empty());
  CHECK(batches == 200);
  const auto t = loader.snapshot().samples;
  CHECK(t.conserved());
  CHECK(t.in_flight + t.ready + t.leased == 0);
  CHECK(t.consumed + t.discarded + t.failed >= rows);
  CHECK(loader.snapshot().memory.live ==
        staging(loader.snapshot().memory) + loader.snapshot().memory[Account::index]);
}

TEST_CASE("requests work beside a stream at a shared budget's floor", "[law][requests]") {
  const Flawed images(120, 0, {60, 80});
  auto train = small_options();
  train.queue.max_queue_size = 12;
  train = with_floor(train, images);
  auto preview = small_options();
  preview.batch = 1;
  preview.workers = 1;
  preview = with_floor(preview, images);
  // There is room for both floors, and nothing else.
  auto ledger =
      std::make_shared<MemoryLedger>(*train.memory.budget_bytes + *preview.memory.budget_bytes);
  train.memory.ledger = preview.memory.ledger = ledger;
  Loader training(images, train), camera(images, preview);
  Monitor monitor(training, breach_of), other(camera, breach_of);
  const bool trains = GENERATE(true, false);
  std::uint64_t rows = 0;
  {
    auto stream = training.stream({.epochs = std::nullopt});
    // A trainer that stands still holds all that the stream may take.
    auto held = stream.next();
    std::jthread trainer;
    if (trains) {
      held.reset();
      trainer = std::jthread([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
          if (const auto batch = stream.next()) rows += batch->size();
      });
    }
    auto requests = camera.requests({.max_outstanding = 4});
    std::uint64_t shown = 0;
    for (std::uint64_t i = 0; i < 100; ++i) {
      requests.ask({i});
      if (i % 3 == 0) requests.ask({119 - i});
      while (shown < i + 1 + i / 3) {
        const auto batch = requests.next(60s);
        REQUIRE(batch);
        ++shown;
      }
    }
    CHECK(camera.snapshot().samples.consumed == shown);
    if (trains) trainer.request_stop();
  }
  CHECK(monitor.complaint().empty());
  CHECK(other.complaint().empty());
  const auto all = ledger->snapshot();
  CHECK(all.peak <= all.budget);
  CHECK(all.live == training.snapshot().memory.live + camera.snapshot().memory.live);
  if (trains) CHECK(rows > 0);
}
