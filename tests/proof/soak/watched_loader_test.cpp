// Loaders whose laws are checked a thousand times a second.
#include "support/rig/watched_loader.hpp"

#include <array>
#include <thread>

#include "support/catch.hpp"
#include "weir/source.hpp"

using namespace weir;
using namespace weir::test;

namespace {

AnySource first() { return synthetic(160, {60, 80}); }
AnySource second() { return synthetic(120, {90, 70}); }

void check_laws(LawBook& book) {
  const auto figures = book.figures();
  for (std::size_t i = 0; i < law_count; ++i) {
    CAPTURE(to_string(static_cast<Law>(i)), figures[i].first_breach);
    CHECK(figures[i].checks > 0);
    CHECK(figures[i].breaches == 0);
  }
}

Options small() {
  Options o;
  o.shape = {48, 48};
  o.batch = 8;
  o.workers = 3;
  o.order = Order::shuffle();
  o.queue = {3, 2};
  o.memory.max_sample_bytes = 48 << 10;
  return o;
}

const std::array size_kinds{SizeOptions{}, SizeOptions{.mode = Sizes::padded},
                            SizeOptions{.mode = Sizes::ragged},
                            SizeOptions{.mode = Sizes::padded, .bucket_batches = 3}};

Options measured(Options options, const AnySource& source) {
  if (options.sizes.mode != Sizes::fixed) options.sizes.index = measure_sizes(source, options);
  return options;
}

std::uint64_t floor_of(const Options& options, const AnySource& source) {
  return resolve(options, source.index_bytes()).floor_bytes;
}

std::uint64_t waits(const Report& report) {
  return report.stages[static_cast<std::size_t>(Stage::wait)].count;
}

/// Two loaders with one budget.
struct Pair {
  Pair(Options options, std::uint64_t budget, const AnySource& a, const AnySource& b)
      : ledger(std::make_shared<MemoryLedger>(budget)) {
    options.memory.ledger = ledger;
    one.emplace(a, measured(options, a), 3);
    other.emplace(b, measured(options, b), 3);
  }
  void soak(const std::function<void(const Batch&)>& consume) {
    {
      const std::jthread beside([&] { other->soak(consume); });
      one->soak(consume);
    }
    const auto now = ledger->snapshot();
    const auto live = one->loader().snapshot().memory.live + other->loader().snapshot().memory.live;
    one->book().check(Law::sum, live == now.live, "{} bytes live in both, {} in the ledger", live,
                      now.live);
    one->close();
    other->close();
    CHECK(ledger->snapshot().live == 0);
    check_laws(one->book());
    check_laws(other->book());
  }

  std::shared_ptr<MemoryLedger> ledger;
  std::optional<WatchedLoader> one, other;
};

}  // namespace

TEST_CASE("two loaders near their floors wait for bytes, break no law", "[rig]") {
  const auto which = GENERATE(0u, 1u, 2u, 3u);
  auto options = small();
  options.sizes = size_kinds[which];
  const auto both = floor_of(measured(options, first()), first()) +
                    floor_of(measured(options, second()), second());
  // In every second case the loaders compete for the memory of one sample.
  const auto budget = both + (which % 2 == 0 ? 0 : 30'000);
  Pair pair(options, budget, first(), second());
  CHECK(pair.ledger->promised() == both);
  // With a slow consumer the queues fill on any machine.
  pair.soak([](const Batch&) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
  CHECK(pair.one->report().samples.consumed == 3 * 160);
  CHECK(pair.other->report().samples.consumed == 3 * 120);
  const auto peak = pair.ledger->snapshot().peak;
  CHECK(peak <= budget);
  const auto waited = waits(pair.one->report()) + waits(pair.other->report());
  CAPTURE(which, peak, budget, waited);
  CHECK((waited > 0 || peak > budget / 100 * 85));
}

TEST_CASE("two loaders with caches that give way break no law", "[rig][cache]") {
  auto options = small();
  const bool decoded = GENERATE(true, false);
  options.sizes = size_kinds[decoded ? 1 : 2];
  options.cache.keep = decoded ? Cache::decoded : Cache::encoded;
  options.queue = {4, 1};
  options.workers = 1;
  options.memory.max_sample_bytes = 64 << 10;
  // Few slabs are in use while the caches fill. Then the consumers stall, and the queues need their slabs.
  Pair pair(options, 3000 << 10, synthetic(400, {60, 80}), synthetic(300, {90, 70}));
  pair.soak([](const Batch& batch) {
    if (batch.sequence() % 46 >= 40) std::this_thread::sleep_for(std::chrono::milliseconds(80));
  });
  const auto &a = pair.one->report().cache, &b = pair.other->report().cache;
  // A loader that falls behind may find the bytes taken, and then keeps nothing long enough.
  CHECK(a.hits + b.hits > 0);
  CHECK(a.evicted + b.evicted > 0);
}

TEST_CASE("the reads of a loader are the draws of any order", "[rig][order]") {
  std::vector<double> weights;
  for (int i = 0; i < 60; ++i) weights.push_back(i % 4);
  const std::array orders{Order::every(7, 2), Order::with_replacement(150),
                          Order::weighted(weights)};
  auto options = small();
  const auto which = GENERATE(0u, 1u, 2u);
  options.order = orders[which];
  if (GENERATE(false, true)) options.cache = {Cache::encoded, 1 << 20};
  WatchedLoader loader(synthetic(60, {24, 24}), options, 3);
  loader.soak();
  loader.close();
  check_laws(loader.book());
  if (which == 0) CHECK(loader.attempts().read_at_least(1) == 9);
}

TEST_CASE("a loader of own sizes at its floor breaks no law", "[rig][sizes]") {
  auto options = small();
  options.sizes = size_kinds[GENERATE(1u, 2u, 3u)];
  options.queue = {5, 2};
  options.memory.max_sample_bytes = 40 << 10;
  const auto source = synthetic(120, {40, 60});
  options = measured(options, source);
  const auto floor = floor_of(options, source);
  options.memory.budget_bytes = floor;
  WatchedLoader loader(source, options, 3);
  loader.soak();
  loader.close();
  check_laws(loader.book());
  CHECK(loader.report().memory.peak <= floor);
  // A sample that waits for bytes is read once more.
  CHECK(loader.attempts().total() >= 360);
  CHECK(loader.attempts().total() < 480);
}
