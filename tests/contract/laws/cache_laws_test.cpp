// The laws with a cache from epoch to epoch.
#include <algorithm>
#include <chrono>
#include <thread>

#include "contract/laws/breach.hpp"
#include "contract/laws/various.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Counts the reads of another source.
class Counted {
 public:
  explicit Counted(AnySource source)
      : source_(std::move(source)), reads_(std::make_shared<std::atomic<std::uint64_t>>(0)) {}
  std::uint64_t size() const { return source_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto encoded = source_.read(i, sink);
    ++*reads_;
    return encoded;
  }
  std::string name(std::uint64_t i) const { return source_.name(i); }
  std::uint64_t index_bytes() const { return source_.index_bytes(); }
  std::uint64_t reads() const { return *reads_; }

 private:
  AnySource source_;
  std::shared_ptr<std::atomic<std::uint64_t>> reads_;
};

/// Checks sums, budget and queue at any instant, and the bound of the cache.
std::string cache_breach_of(const Snapshot& now, const Plan& plan) {
  if (now.memory[Account::cache] > plan.cache.bytes) return "bound of the cache";
  return breach_of(now, plan);
}

Options cached(Cache keep, std::optional<std::uint64_t> max_bytes = 1 << 20) {
  auto options = small_options();
  options.cache = {keep, max_bytes};
  return options;
}

/// Takes bytes from a shared budget and returns them, like a trainer's own buffers.
class Grabbing {
 public:
  Grabbing(MemoryLedger& ledger, std::uint64_t most)
      : thread_([&ledger, most, this](const std::stop_token& stop) {
          RandomStream random(3);
          while (!stop.stop_requested()) {
            if (const auto some =
                    ledger.try_charge(Account::scratch, most - random.below(most / 10)))
              ++got_;
            std::this_thread::sleep_for(std::chrono::milliseconds(2));
          }
        }) {}
  std::uint64_t stop() {
    thread_.request_stop();
    thread_.join();
    return got_;
  }

 private:
  std::atomic<std::uint64_t> got_{0};
  std::jthread thread_;
};

}  // namespace

TEST_CASE("determinism: a cache changes nothing that is delivered", "[law][cache]") {
  const auto policy = GENERATE(OnFault::skip, OnFault::blank);
  auto options = small_options();
  options.order = Order::shuffle();
  options.annotation_bytes = 5;
  options.faults.policy = policy;
  options.memory.max_sample_bytes = 1 << 20;
  const Counted source(Flawed(41, 9));
  const auto run = [&](const Options& o) {
    Loader loader(source, o);
    const auto before = source.reads();
    auto log = drain(loader, {.epochs = 3});
    return std::tuple(std::move(log), loader.report(), source.reads() - before);
  };
  const auto reference = std::get<0>(run(options));
  CHECK(reference.indices.size() == 3 * 41);
  for (const auto keep : {Cache::encoded, Cache::decoded})
    for (const std::uint64_t bound : {1u << 20, 9'000u})
      for (const std::uint32_t workers : {1u, 4u})
        for (const std::uint32_t read_ahead : {0u, 5u}) {
          auto other = options;
          other.cache = {keep, bound};
          other.workers = workers;
          other.io.read_ahead = read_ahead;
          if (workers == 4) other.queue.max_queue_size = 9;
          CAPTURE(to_string(keep), bound, workers, read_ahead);
          const auto [log, report, reads] = run(other);
          CHECK(log == reference);
          const auto& cache = report.cache;
          CHECK(cache.misses == reads);
          CHECK(cache.hits + cache.misses >= report.samples.drawn);
          CHECK(cache.bytes == report.memory[Account::cache]);
          CHECK(cache.bytes <= bound);
          // Every valid sample fits into the large cache. Later epochs read the bad samples, and at
          // an epoch's end those that are still in flight.
          if (bound > 9'000) {
            CHECK(cache.samples == 36);
            CHECK(cache.hits > 36);
          } else {
            CHECK(cache.samples > 0);
            CHECK(cache.samples < 36);
            CHECK(cache.hits > 0);
          }
        }
  // There is no room for the table.
  options.cache = {Cache::encoded, 100};
  const auto [log, report, reads] = run(options);
  CHECK(report.plan.cache.bytes == 0);
  CHECK(report.cache.misses == reads);
}

TEST_CASE("determinism: encoded samples, random crops and transforms", "[law][cache]") {
  auto options = small_options(true);
  options.order = Order::shuffle();
  options.fit = Fit::random;
  options.memory.max_sample_bytes = 1 << 20;
  const auto run = [&](const Options& o) {
    Loader loader(Flawed(30, 0, {60, 80}), o);
    auto log = drain(loader, {.epochs = 3});
    return std::pair(std::move(log), loader.report().cache);
  };
  const auto reference = run(options).first;
  options.cache = {Cache::encoded, 1 << 20};
  const auto [log, cache] = run(options);
  CHECK(log == reference);
  CHECK(cache.hits >= 40);
}

TEST_CASE("determinism: a cache that gives JPEGs tiles", "[law][cache]") {
  auto options = small_options(true);
  options.order = Order::shuffle();
  options.fit = GENERATE(Fit::random, Fit::patch);
  options.memory.max_sample_bytes = 1 << 20;
  const Flawed source(20, 7, {90, 120});
  options.faults.policy = OnFault::skip;
  const auto run = [&](const Options& o) {
    Loader loader(source, o);
    auto log = drain(loader, {.epochs = 4});
    const auto report = loader.report();
    CHECK(report.memory.peak <= o.memory.budget_bytes.value_or(UINT64_MAX));
    return std::pair(std::move(log), report.cache);
  };
  const auto reference = run(options).first;
  for (const std::uint64_t bound : {1u << 20, 20'000u})
    for (const std::uint32_t workers : {1u, 4u}) {
      auto other = options;
      other.cache = {Cache::encoded, bound};
      other.cache.tiles = 4;
      other.workers = workers;
      CAPTURE(bound, workers);
      const auto [log, cache] = run(other);
      CHECK(log == reference);
      CHECK(cache.hits > (bound > 20'000 ? 30u : 3u));
      CHECK(cache.bytes <= bound);
    }
}

TEST_CASE("determinism: a cache where sizes differ", "[law][cache][sizes]") {
  const int kind = GENERATE(0, 1, 2);
  const Various source(drawn_sizes(60, 70, 4), {11, 40}, {3, 25});
  auto options = own_size_options(kind);
  options.order = Order::shuffle();
  options.faults.policy = OnFault::skip;
  options.memory.max_sample_bytes = 256 << 10;
  options.sizes.max_width = 60;
  options.sizes.index = measure_sizes(source, options);
  const auto run = [&](const Options& o) {
    Loader loader(source, o);
    auto log = drain(loader, {.epochs = 3});
    return std::pair(std::move(log), loader.report());
  };
  const auto reference = run(options).first;
  for (const auto keep : {Cache::encoded, Cache::decoded})
    for (const std::uint64_t bound : {4u << 20, 70'000u})
      for (const std::uint32_t read_ahead : {0u, 5u}) {
        auto other = options;
        other.cache = {keep, bound};
        other.io.read_ahead = read_ahead;
        const auto [log, report] = run(other);
        CAPTURE(to_string(keep), bound, read_ahead);
        CHECK(log == reference);
        CHECK(report.cache.hits > (bound > 70'000 ? 80u : 5u));
      }
}

TEST_CASE("the memory and sample laws hold while a cache gives way", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  const std::uint32_t read_ahead = GENERATE(0u, 6u);
  const Counted source(Flawed(200, 40, {60, 80}));
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = cached(keep, {});
  options.memory.upstream = upstream;
  options.memory.max_sample_bytes = 300'000;
  options.io.read_ahead = read_ahead;
  options.queue.max_leases = 2;
  options.faults.policy = OnFault::skip;
  options.order = Order::shuffle();
  // Room for half of the samples, in addition to the plan's bytes for workers and readers.
  auto free = options;
  free.cache = {};
  free.memory.budget_bytes.reset();
  const auto plan = resolve(free, 0);
  options.memory.budget_bytes = plan.promised_bytes + plan.slabs * plan.slab_bytes +
                                ((plan.workers + plan.read_ahead) << 20) + 90'000;
  options.memory.ledger = std::make_shared<MemoryLedger>(options.memory.budget_bytes);
  free.workers = 1;
  const auto reference = [&] {
    Loader loader(source, free);
    return drain(loader, {.epochs = 3});
  }();
  {
    Loader loader(source, options);
    REQUIRE(loader.plan().cache.bytes > 50'000);
    Monitor monitor(loader, cache_breach_of);
    CHECK(drain(loader).indices.size() == 200);
    Grabbing grabbing(*options.memory.ledger,
                      (std::uint64_t{plan.workers + plan.read_ahead} << 20) + 90'000);
    CHECK(drain(loader, {.epochs = 3}) == reference);
    CHECK(grabbing.stop() > 0);
    CHECK(monitor.complaint() == "");
    const auto report = loader.report();
    CHECK(report.cache.hits > 0);
    CHECK(report.cache.evicted > 0);
    CHECK(upstream->peak() <= options.memory.budget_bytes);
    const auto now = loader.snapshot();
    CHECK(staging(now.memory) + now.memory[Account::cache] == upstream->outstanding());
    CHECK(options.memory.ledger->snapshot().peak <= options.memory.budget_bytes);
  }
  CHECK(upstream->outstanding() == 0);
  CHECK(options.memory.ledger->snapshot().live == 0);
}

TEST_CASE("an idle loader's cache is in nobody's way", "[law][cache]") {
  constexpr std::uint64_t budget = 4 << 20;
  auto ledger = std::make_shared<MemoryLedger>(budget);
  auto keeps = small_options();
  keeps.workers = 1;
  keeps.memory.max_sample_bytes = 80'000;
  keeps.memory.ledger = ledger;
  keeps.cache.keep = Cache::decoded;
  Loader idle(Flawed(3600, 0), keeps);
  CHECK(drain(idle).indices.size() == 3600);
  const auto held = idle.report().cache;
  REQUIRE(held.bytes > budget / 2);
  REQUIRE(ledger->snapshot().live > budget / 2);

  auto options = small_options();
  options.shape = {64, 64};
  options.batch = 16;
  options.workers = 1;
  options.queue.max_queue_size = 10;
  options.memory.max_sample_bytes = 300'000;
  options.memory.ledger = ledger;
  const auto needs = resolve(options, 0, ledger->promised());
  REQUIRE(needs.max_queue_size == 10);
  REQUIRE(needs.slabs * needs.slab_bytes > budget - ledger->snapshot().live);
  // The loader is not refused, its queue has full depth, and it does not wait for bytes.
  Loader other(Flawed(400, 0), options);
  CHECK(other.plan().max_queue_size == 10);
  auto stream = other.stream();
  stream.settle();
  CHECK(other.snapshot().ready == 10);
  std::uint64_t rows = 0;
  for (auto& batch : stream) rows += batch.size();
  CHECK(rows == 400);
  CHECK(idle.report().cache.bytes < held.bytes);
  CHECK(ledger->snapshot().peak <= budget);
  // The first loader continues with the remaining samples.
  CHECK(drain(idle).indices.size() == 3600);
  CHECK(idle.report().cache.hits > 0);
}

TEST_CASE("rows that have ended hold nothing of the cache", "[law][cache]") {
  auto options = small_options();
  options.cache.keep = GENERATE(Cache::encoded, Cache::decoded);
  options.io.read_ahead = GENERATE(0u, 6u);
  options.memory.max_sample_bytes = 80'000;
  options.memory.budget_bytes = 16 << 20;
  Loader loader(Flawed(64, 0), options);
  CHECK(drain(loader).indices.size() == 64);
  auto stream = loader.stream({.epochs = std::nullopt});
  for (int i = 0; i < 30; ++i) REQUIRE(stream.next());
  stream.settle();
  const auto held = loader.report().cache;
  REQUIRE(held.samples == 64);
  CHECK(held.hits >= 120);
  const auto memory = loader.snapshot().memory;
  const auto all = loader.ledger().try_charge(
      Account::scratch, *memory.budget - memory.live + memory[Account::cache] - 80'000);
  CHECK(all);
  CHECK(loader.report().cache.bytes == 0);
  CHECK(loader.report().cache.evicted == 64);
  for (int i = 0; i < 30; ++i) REQUIRE(stream.next());
}

TEST_CASE("two loaders with caches and a third party share a budget", "[law][cache][sizes]") {
  const Various source(drawn_sizes(80, 60, 2));
  auto first = own_size_options(2), second = small_options();
  first.cache.keep = Cache::decoded;
  second.cache.keep = Cache::encoded;
  first.order = second.order = weir::Order::shuffle();
  first.memory.max_sample_bytes = second.memory.max_sample_bytes = 256 << 10;
  first.sizes.index = measure_sizes(source, first);
  second.io.read_ahead = 4;
  const Flawed other_source(120, 0, {60, 80});
  const auto alone = [](const auto& images, Options options) {
    options.cache = {};
    Loader loader(images, options);
    return drain(loader, {.epochs = 3});
  };
  const auto a = alone(source, first), b = alone(other_source, second);
  const auto budget = (12u << 20) + 2 * (256u << 10) + 400'000;
  const auto ledger = std::make_shared<MemoryLedger>(budget);
  first.memory.ledger = second.memory.ledger = ledger;
  Log x, y;
  {
    Loader one(source, first), two(other_source, second);
    CHECK(one.plan().cache.bytes > 0);
    CHECK(two.plan().cache.bytes > 0);
    const Grabbing grabbing(*ledger, budget - 700'000);
    const std::jthread together([&] { y = drain(two, {.epochs = 3}); });
    x = drain(one, {.epochs = 3});
  }
  CHECK(x == a);
  CHECK(y == b);
  CHECK(ledger->snapshot().peak <= budget);
  CHECK(ledger->snapshot().live == 0);
}

TEST_CASE("a cancelled stream lets go of what it held in the cache", "[law][cache]") {
  const auto keep = GENERATE(Cache::encoded, Cache::decoded);
  auto upstream = std::make_shared<CountingUpstream>();
  {
    auto options = cached(keep);
    options.memory.upstream = upstream;
    options.io.read_ahead = GENERATE(0u, 8u);
    Loader loader(Flawed(64, 0), options);
    CHECK(drain(loader).indices.size() == 64);
    const auto held = loader.report().cache.samples;
    CHECK(held == 64);
    for (std::uint64_t stop_at = 0; stop_at < 6; ++stop_at) {
      auto stream = loader.stream({.epochs = std::nullopt});
      for (std::uint64_t i = 0; i < stop_at; ++i) REQUIRE(stream.next());
      if (stop_at % 2 == 0) stream.cancel();
    }
    CHECK(loader.snapshot().samples.conserved());
    CHECK(loader.report().cache.samples == held);
    // All of it can be evicted, because no row holds a sample.
    auto all = loader.ledger().try_charge(Account::scratch, 1);
    REQUIRE(all);
    const auto cache = loader.report().cache;
    CHECK(staging(loader.snapshot().memory) + cache.bytes == upstream->outstanding());
  }
  CHECK(upstream->outstanding() == 0);
}

TEST_CASE("a batch outlives the loader, its cache does not", "[law][cache]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = cached(Cache::decoded);
  options.memory.upstream = upstream;
  std::optional<Batch> batch;
  {
    Loader loader(Flawed(16, 0), options);
    auto stream = loader.stream();
    batch = stream.next();
    stream.settle();
    CHECK(loader.report().cache.bytes > 0);
  }
  CHECK(upstream->outstanding() == batch->bytes_held());
  batch.reset();
  CHECK(upstream->outstanding() == 0);
}

TEST_CASE("what a cache cannot do is refused by name", "[law][cache]") {
  const auto refused = [](const Options& options, const char* words) {
    CHECK_THROWS_WITH(resolve(options, 0), has_text(words));
  };
  refused(cached(Cache::encoded, {}), "`cache.keep` = encoded: the cache has no bound");
  refused(cached(Cache::encoded, 0), "`cache.max_bytes` = 0: must be 1 or more");
  refused(cached(Cache::nothing, 5), "`cache.max_bytes` = 5");
  auto options = cached(Cache::decoded);
  options.fit = Fit::random;
  refused(options, "`fit` = random");
  options = cached(Cache::decoded);
  options.cache.tiles = 4;
  refused(options, "`cache.tiles` = 4: is for `cache.keep` = encoded");
  options.cache = {};
  options.cache.tiles = 4;
  refused(options, "`cache.tiles` = 4: needs `cache.keep` = encoded");
  options = cached(Cache::decoded);
  options.transform.apply = [](DecodedSample&) {};
  refused(options, "transform.apply");
  options.cache.keep = Cache::encoded;
  CHECK(resolve(options, 0).cache.bytes == 1 << 20);
}
