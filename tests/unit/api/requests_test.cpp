#include "weir/stream.hpp"

#include <numeric>
#include <stdexcept>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

using Indices = std::vector<std::uint64_t>;

Indices of(const Batch& batch) { return {batch.indices().begin(), batch.indices().end()}; }

/// Three small images and three large ones.
struct Mixed {
  AnySource small = synthetic(3, {20, 30}), large = synthetic(3, {60, 40});
  std::uint64_t size() const { return 6; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    return i < 3 ? small.read(i, sink) : large.read(i - 3, sink);
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
};

void wait_until_ready(const Loader& loader, std::uint32_t batches) {
  while (loader.snapshot().ready < batches) std::this_thread::yield();
}

}  // namespace

TEST_CASE("requests come in the order asked, each ask as one batch", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  auto requests = loader.requests();
  CHECK_FALSE(requests.next());
  CHECK_FALSE(requests.finished());
  requests.ask({9, 0, 9});
  requests.ask(Indices{4});
  CHECK(requests.try_ask({1, 2, 3, 4}));
  std::vector<Indices> seen;
  for (const Batch& batch : requests) {
    CHECK(batch.sequence() == seen.size());
    CHECK(batch.epoch() == 0);
    CHECK(batch.global_rows() == batch.size());
    CHECK_FALSE(batch.last_of_epoch());
    seen.push_back(of(batch));
    if (seen.size() == 3) requests.ask({7});
  }
  CHECK(seen == std::vector<Indices>{{9, 0, 9}, {4}, {1, 2, 3, 4}, {7}});
  CHECK_FALSE(requests.next());
  CHECK(loader.snapshot().samples.consumed == 9);
}

TEST_CASE("requests are prefetched as long as the queue has room", "[api][requests]") {
  auto options = small_options();
  options.queue.max_queue_size = 2;
  Loader loader(synthetic(10, {24, 24}), options);
  auto requests = loader.requests();
  requests.ask({0, 1});
  wait_until_ready(loader, 1);
  CHECK(loader.snapshot().samples.drawn == 2);
  requests.ask({2});
  requests.ask({3});
  wait_until_ready(loader, 2);
  CHECK(loader.snapshot().samples.drawn == 3);
  CHECK(requests.outstanding() == Indices{0, 1, 2, 3});
  CHECK(requests.next());
  wait_until_ready(loader, 2);
  CHECK(loader.snapshot().samples.drawn == 4);
}

TEST_CASE("asks beyond max_outstanding are refused until one finishes", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  auto requests = loader.requests({.max_outstanding = 2});
  requests.ask({0});
  CHECK(requests.try_ask({1}));
  CHECK_FALSE(requests.try_ask({2}));
  CHECK_THROWS_WITH(requests.ask({2}), has_text("RequestOptions::max_outstanding = 2: 2 requests"));
  auto batch = requests.next();
  CHECK_FALSE(requests.try_ask({2}));  // it is in hand
  CHECK(requests.outstanding() == Indices{0, 1});
  batch->finish();
  CHECK(requests.outstanding() == Indices{1});
  requests.ask({2});
  batch.reset();
  CHECK(requests.outstanding() == Indices{1, 2});
  // Batches are finished in any order.
  auto second = requests.next();
  auto receipt = second->receipt();
  second.reset();
  second = requests.next();
  std::move(*second).discard();
  CHECK(requests.outstanding() == Indices{1});
  receipt.finish();
  CHECK(requests.outstanding().empty());
}

TEST_CASE("a batch that an exception destroys stays outstanding", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  auto requests = loader.requests();
  requests.ask({3});
  requests.ask({5});
  try {
    const auto batch = requests.next();
    throw std::runtime_error("a step failed");
  } catch (const std::runtime_error&) {
  }
  CHECK(requests.next());
  CHECK(requests.outstanding() == Indices{3});
}

TEST_CASE("an ask that cannot be met is refused, and says why", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  CHECK_THROWS_WITH(loader.requests({.max_outstanding = 0}),
                    has_text("RequestOptions::max_outstanding = 0: must be 1 to 1048576"));
  auto requests = loader.requests();
  CHECK_THROWS_WITH(requests.ask({1, 10}), has_text("Requests::ask: index 10 (number 1 of this "
                                                    "ask): the source has 10 samples"));
  CHECK_THROWS_WITH(requests.ask(Indices()), has_text("no indices"));
  CHECK_THROWS_WITH(requests.try_ask({0, 1, 2, 3, 4}),
                    has_text("Requests::try_ask: 5 indices; a batch has at most 4"));
  CHECK(requests.outstanding().empty());
  CHECK_THROWS_WITH(loader.stream(), has_text("one live stream"));

  auto options = small_options();
  options.ranks = Ranks::given(0, 2);
  Loader ranked(synthetic(10, {24, 24}), options);
  CHECK_THROWS_WITH(ranked.requests(), has_text("`ranks.world` = 2"));
  options.ranks = {};
  options.memory.budget_bytes = 64u << 20;
  Loader bounded(synthetic(10, {24, 24}), options);
  CHECK_THROWS_WITH(bounded.requests({.max_outstanding = 1000}),
                    has_text("under a budget it takes at most those of a batch"));
  CHECK(drain(bounded).indices.size() == 10);  // what was refused is not the live stream
}

TEST_CASE("the list of requests is on the books while the stream lives", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  const auto index = loader.snapshot().memory[Account::index];
  std::optional<Receipt> receipt;
  {
    auto requests = loader.requests({.max_outstanding = 100});
    CHECK(loader.snapshot().memory[Account::index] == index + 100 * (4 * 8 + 28));
    requests.ask({1});
    receipt = requests.next()->receipt();
  }
  CHECK(loader.snapshot().memory[Account::index] == index);
  receipt.reset();  // it outlives the list
}

TEST_CASE("requests end by cancel, stop token, destructor or bad sample", "[api][requests]") {
  Loader loader(Flawed(20, 9), small_options());
  std::stop_source stop;
  {
    auto requests = loader.requests({.stop = stop.get_token()});
    requests.ask({0, 1});
    requests.ask({2});
    CHECK(requests.next());
    const bool by_token = GENERATE(false, true);
    by_token ? static_cast<void>(stop.request_stop()) : requests.cancel();
    CHECK(requests.finished());
    CHECK_FALSE(requests.next());
    requests.ask({4});  // does nothing
    CHECK_FALSE(requests.try_ask({4}));
    CHECK(requests.outstanding() == Indices{2});
  }
  {
    auto requests = loader.requests();
    requests.ask({0});
    requests.ask({1, 3});
    requests.ask({2});
    CHECK(requests.next());
    CHECK_THROWS_WITH(requests.next(), has_text("flawed/3"));
    CHECK(requests.finished());
    CHECK_FALSE(requests.next());
    CHECK(requests.outstanding() == Indices{1, 3, 2});
  }
  std::optional<Batch> batch;
  {
    auto requests = loader.requests();
    for (std::uint64_t i = 4; i < 12; ++i) requests.ask({i});
    batch = requests.next();
  }
  CHECK(batch->indices()[0] == 4);
  batch.reset();
  const auto t = loader.snapshot().samples;
  CHECK(t.conserved());
  CHECK(t.in_flight + t.ready + t.leased == 0);
}

TEST_CASE("a cancel ends a wait for an ask", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  auto requests = loader.requests();
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    requests.cancel();
  });
  CHECK_FALSE(requests.next(std::chrono::steady_clock::duration::max()));
  other.join();
  CHECK(requests.finished());
}

TEST_CASE("next with a timeout waits for an ask, and that is no stall", "[api][requests]") {
  auto options = small_options();
  options.watchdog.after = 200ms;
  Loader loader(synthetic(10, {24, 24}), options);
  auto requests = loader.requests();
  requests.ask({5});
  auto held = requests.next();
  // What is asked for may stall, on a busy machine.
  const auto stalls = loader.report().stalls;
  CHECK_FALSE(requests.next(450ms));
  CHECK_FALSE(requests.try_next());
  CHECK(loader.report().stalls == stalls);
  held.reset();
  std::thread trainer([&] {
    std::this_thread::sleep_for(250ms);
    CHECK(loader.report().stalls == stalls);
    requests.ask({6});
  });
  const auto batch = requests.next(20s);
  trainer.join();
  REQUIRE(batch);
  CHECK(of(*batch) == Indices{6});
  // Nobody had asked for anything in 450 ms, and in 250 ms more.
  const auto queue = loader.report().queue;
  CHECK(queue.consumer_wait_s <= queue.seconds - 0.7);
}

TEST_CASE("a trainer that asks for nothing does not wait for weir", "[api][requests]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  auto requests = loader.requests();
  for (const std::uint64_t i : {1u, 3u}) {
    const auto before = loader.report().queue;
    CHECK_FALSE(requests.try_next());
    CHECK_FALSE(requests.next(1ms));
    CHECK(loader.report().queue.consumer_wait_s == before.consumer_wait_s);
    requests.ask({i});
    requests.ask({i + 1});
    // The books count a batch as ready just before it can be taken. With the second, the first can.
    wait_until_ready(loader, 2);
    CHECK(requests.try_next());
    CHECK(loader.report().queue.batches_ready == before.batches_ready + 1);
    CHECK(requests.next());
  }
}

TEST_CASE("a trainer that asks for nothing needs no lease", "[api][requests]") {
  auto options = small_options();
  options.queue.max_leases = 1;
  Loader loader(synthetic(10, {24, 24}), options);
  auto requests = loader.requests();
  requests.ask({1});
  const auto held = requests.next();
  CHECK_FALSE(requests.next());
  CHECK_FALSE(requests.try_next());
  requests.ask({2});
  CHECK_THROWS_WITH(requests.next(), has_text("`queue.max_leases` = 1"));
  CHECK_THROWS_WITH(requests.try_next(), has_text("`queue.max_leases` = 1"));
}

TEST_CASE("1000 steps over 200 images hit the cache at least 800 times", "[api][requests][cache]") {
  auto options = small_options();
  options.batch = 1;
  options.cache = {Cache::decoded, 200u << 10};
  Loader loader(synthetic(200, {24, 24}), options);
  auto requests = loader.requests({.max_outstanding = 8});
  std::uint64_t asked = 0, steps = 0;
  while (steps < 1000) {
    while (asked < 1000 && requests.try_ask({asked * 7 % 200})) ++asked;
    const auto batch = requests.next();
    REQUIRE(batch);
    CHECK(of(*batch) == Indices{steps++ * 7 % 200});
  }
  const auto cache = loader.report().cache;
  CHECK(cache.hits >= 800);
  CHECK(cache.hits + cache.misses == 1000);
}

TEST_CASE("requests of images at their own sizes are laid out as asked", "[api][requests][sizes]") {
  auto options = small_options();
  options.shape = Options().shape;
  options.sizes.mode = GENERATE(Sizes::padded, Sizes::ragged);
  options.batch = 2;
  options.sizes.index = measure_sizes(Mixed{}, options);
  Loader loader(Mixed{}, options);
  auto requests = loader.requests();
  requests.ask({5, 0});
  requests.ask({1, 1});
  const auto first = requests.next();
  CHECK(first->sizes()[0] == (*options.sizes.index)[5]);
  CHECK(first->sizes()[1] == (*options.sizes.index)[0]);
  CHECK_FALSE(first->sizes()[0] == first->sizes()[1]);
  CHECK(of(*first) == Indices{5, 0});
}

TEST_CASE("ragged repeats are refused if they exceed the largest batch", "[api][requests][sizes]") {
  auto options = small_options();
  options.shape = Options().shape;
  options.sizes.mode = Sizes::ragged;
  options.batch = 2;
  options.sizes.index =
      std::make_shared<const SizeIndex>(std::vector<ImageSize>{{10, 10}, {20, 20}, {40, 40}});
  Loader loader(synthetic(3, {24, 24}), options);
  auto requests = loader.requests();
  requests.ask({0, 0});
  requests.ask({1, 2});
  CHECK_THROWS_WITH(requests.ask({2, 2}), has_text("the largest batch of the plan takes " +
                                                   std::to_string(loader.plan().slab_bytes)));
  requests.cancel();
}

TEST_CASE("an order with few positions does not limit requests", "[api][requests][order]") {
  const auto order =
      GENERATE(Order::every(4, 1),
               Order::own("two", 2, [](auto, auto position, auto&) { return position; }));
  const auto mode = GENERATE(Sizes::fixed, Sizes::padded, Sizes::ragged);
  CAPTURE(to_string(order), static_cast<int>(mode));
  auto options = small_options();
  options.order = order;
  options.batch = 5;
  options.sizes.mode = mode;
  if (mode != Sizes::fixed) options.shape = Options().shape;
  options.memory.max_sample_bytes = 80'000;
  options.memory.budget_bytes = Loader(Mixed{}, options).plan().floor_bytes;
  Loader loader(Mixed{}, options);
  REQUIRE(loader.plan().epoch.positions == 2);
  auto requests = loader.requests({.max_outstanding = 2});
  // Small images, so that their batch has no more bytes than one of two large ones.
  const Indices small{2, 0, 1, 0, 2};
  requests.ask(small);
  requests.ask({3, 4});
  for (const auto& asked : {small, Indices{3, 4}}) {
    const auto batch = requests.next();
    REQUIRE(batch);
    CHECK(of(*batch) == asked);
  }
  CHECK(loader.snapshot().memory.peak <= options.memory.budget_bytes);
  if (mode != Sizes::fixed)
    CHECK_THROWS_WITH(requests.ask({3, 4, 5}), has_text("ask for fewer at once"));
  CHECK_THROWS_WITH(requests.ask({0, 0, 0, 0, 0, 0}), has_text("a batch has at most 5"));
}

TEST_CASE("requests of encoded samples fit as those of a stream do", "[api][requests][encoded]") {
  auto options = small_options();
  options.shape = Options().shape;
  options.decode = Decode::none;
  options.batch = 3;
  options.memory.max_sample_bytes = 80'000;
  for (const auto& order : {Order::sequential(), Order::with_replacement()}) {
    CAPTURE(to_string(order));
    options.order = order;
    options.memory.budget_bytes.reset();
    options.memory.budget_bytes = Loader(Mixed{}, options).plan().floor_bytes;
    Loader loader(Mixed{}, options);
    auto requests = loader.requests({.max_outstanding = 2});
    requests.ask({3, 4, 5});  // the largest
    const auto batch = requests.next();
    REQUIRE(batch);
    CHECK(of(*batch) == Indices{3, 4, 5});
    CHECK(loader.snapshot().memory.peak <= options.memory.budget_bytes);
  }
}

TEST_CASE("requests draw all labels, so each needs partners enough", "[api][requests]") {
  const auto images = relabelled(synthetic(8, {20, 30}),
                                 {{0, 1}, {1, 99}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 1}, {7, 1}});
  auto options = small_options();
  options.order = Order::every(2);  // does not draw sample 1
  options.partners = {.count = 1, .pick = PartnerPick::same_label};
  CHECK_THROWS_WITH(Loader(images, options).requests(),
                    has_text("a row needs 2 samples of its label, and label 99 has 1"));
  options.partners.repeat = true;
  Loader loader(images, options);
  auto requests = loader.requests();
  requests.ask({1});
  CHECK(requests.next()->indices()[0] == 1);
}
