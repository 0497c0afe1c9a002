#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

TEST_CASE("two loaders share a budget within its bound and none starves", "[api][shared]") {
  auto options = small_options();
  options.memory.max_sample_bytes = 80'000;
  options.queue.max_queue_size = 12;
  const auto floor = resolve(options, 0).floor_bytes;
  auto ledger = std::make_shared<MemoryLedger>(2 * floor + 20'000);
  options.memory.ledger = ledger;
  Loader training(Flawed(200, 0, {60, 80}), options), validation(Flawed(100, 0, {60, 80}), options);
  CHECK(ledger->promised() == training.plan().promised_bytes + validation.plan().promised_bytes);
  std::uint64_t rows = 0;
  {
    std::thread other([&] { rows = drain(validation, {.epochs = 2}).indices.size(); });
    CHECK(drain(training).indices.size() == 200);
    other.join();
  }
  CHECK(rows == 200);
  const auto all = ledger->snapshot();
  CHECK(all.peak <= all.budget);
  CHECK(all.live == training.snapshot().memory.live + validation.snapshot().memory.live);
}

TEST_CASE("a loader is refused while its floor is promised to another", "[api][shared]") {
  auto options = small_options();
  options.memory.max_sample_bytes = 80'000;
  const auto floor = resolve(options, 0).floor_bytes;
  auto ledger = std::make_shared<MemoryLedger>(floor + floor / 2);
  options.memory.ledger = ledger;
  {
    Loader first(synthetic(20, {24, 24}), options);
    CHECK_THROWS_WITH(Loader(synthetic(20, {24, 24}), options),
                      has_text("reserved for other loaders"));
    CHECK(drain(first).indices.size() == 20);
  }
  CHECK(ledger->promised() == 0);
  CHECK(ledger->snapshot().live == 0);
  Loader second(synthetic(20, {24, 24}), options);
  CHECK(drain(second).indices.size() == 20);
}

TEST_CASE("a shared ledger that is too small is called by its name", "[api][shared]") {
  auto options = small_options();
  options.memory.ledger = std::make_shared<MemoryLedger>(1000);
  CHECK_THROWS_WITH(Loader(synthetic(20, {24, 24}), options),
                    has_text("`memory.ledger->budget()` = 1000: this needs at least "));
  options.memory = {.budget_bytes = 1000};
  CHECK_THROWS_WITH(Loader(synthetic(20, {24, 24}), options),
                    has_text("`memory.budget_bytes` = 1000: this needs at least "));
}

TEST_CASE("the books say who holds what, even after a loader is gone", "[api][shared]") {
  auto options = small_options();
  options.queue.max_leases = 2;
  auto ledger = std::make_shared<MemoryLedger>(std::nullopt);
  options.memory.ledger = ledger;
  std::optional<Batch> first, second, other;
  {
    Loader gone(synthetic(20, {24, 24}), options);
    auto stream = gone.stream();
    first = stream.next();
    second = stream.next();
    second->held_by("my tensor");
  }
  Loader loader(synthetic(20, {24, 24}), options);
  auto stream = loader.stream();
  other = stream.next();

  std::map<std::string_view, std::uint64_t> sequences;
  std::uint64_t bytes = 0;
  for (const auto& lease : ledger->leases()) {
    sequences[lease.holder] += lease.sequence + 10;
    bytes += lease.bytes;
  }
  CHECK(sequences == std::map<std::string_view, std::uint64_t>{{"Batch", 20}, {"my tensor", 11}});
  CHECK(bytes == ledger->snapshot()[Account::leased]);
  second.reset();
  other.reset();
  CHECK(stream.next());  // the holder is "Batch" again, whatever the slab's last holder was
  REQUIRE(ledger->leases().size() == 1);
  CHECK(ledger->leases().front().holder == "Batch");
  first.reset();
  CHECK(ledger->leases().empty());
}

TEST_CASE("a user's own charge counts against the same budget", "[api][shared]") {
  MemoryLedger ledger(1000);
  auto charge = ledger.try_charge(Account::cache, 600);
  REQUIRE(charge);
  CHECK_FALSE(ledger.try_charge(Account::cache, 401));
  CHECK_FALSE(charge->try_grow(1001));
  CHECK(charge->try_grow(1000));
  CHECK(ledger.snapshot()[Account::cache] == 1000);
  charge->transfer(Account::index);
  CHECK(ledger.snapshot()[Account::index] == 1000);
  charge->shrink(10);
  CHECK(ledger.snapshot().live == 10);
  Charge moved = std::move(*charge);
  charge.reset();
  CHECK(ledger.snapshot().live == 10);
  moved = Charge();
  CHECK(ledger.snapshot().live == 0);
  CHECK(ledger.snapshot().peak == 1000);
}

TEST_CASE("a small budget makes the queue shallower and keeps the wish", "[api]") {
  auto options = small_options();
  options.queue.max_queue_size = 64;
  options.memory.max_sample_bytes = 40'000;
  options.memory.budget_bytes = resolve(options, 0).floor_bytes + 3 * 40'000 + 5 * 3264;
  Loader loader(synthetic(100, {24, 24}), options);
  CHECK(loader.plan().max_queue_size < 64);
  CHECK(loader.plan().max_queue_size_requested == 64);
  CHECK(drain(loader).indices.size() == 100);
}

TEST_CASE("read-ahead stays within its limit and delivers the same", "[api]") {
  class Counting {
   public:
    struct State {
      AnySource good = synthetic(60, {24, 24});
      std::atomic<int> reading{0}, most{0};
      int at_once = 1;  ///< the first reads wait until so many are under way
    };
    std::uint64_t size() const { return state_->good.size(); }
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      const int now = ++state_->reading;
      for (int most = state_->most; now > most && !state_->most.compare_exchange_weak(most, now);) {
      }
      while (state_->most < state_->at_once) std::this_thread::yield();
      const auto encoded = state_->good.read(i, sink);
      --state_->reading;
      return encoded;
    }
    std::string name(std::uint64_t i) const { return std::to_string(i); }
    std::uint64_t index_bytes() const { return 0; }
    std::shared_ptr<State> state_ = std::make_shared<State>();
  };
  auto options = small_options();
  options.queue.max_queue_size = 8;
  options.workers = 1;
  Counting plain;
  Loader alone(plain, options);
  const auto reference = drain(alone);
  CHECK(plain.state_->most == 1);
  options.io.read_ahead = 6;
  Counting ahead;
  ahead.state_->at_once = 6;
  Loader loader(ahead, options);
  CHECK(drain(loader) == reference);
  CHECK(ahead.state_->most == 6);
}
