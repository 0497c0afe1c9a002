// Orders that draw a sample several times, or not at all: what holds for a shuffle holds for them.
#include <set>
#include <stdexcept>

#include "contract/laws/fixture.hpp"
#include "contract/laws/orders.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// An order that has an error at one position.
Order broken_at(std::uint64_t epoch, std::uint64_t position, bool throws) {
  return Order::own("broken", 41, [=](std::uint64_t e, std::uint64_t p, Random&) -> std::uint64_t {
    if (e != epoch || p != position) return p * 5 % 23;
    if (throws) throw std::out_of_range("mine");
    return 23;
  });
}

/// Takes all batches. Returns what ended the stream, and their number.
std::pair<std::string, std::uint64_t> end_of(Loader& loader) {
  auto stream = loader.stream({.epochs = 3});
  std::uint64_t batches = 0;
  try {
    while (stream.next()) ++batches;
  } catch (const std::out_of_range& e) {
    return {e.what(), batches};
  } catch (const Error& e) {
    CHECK(e.code() == Errc::bad_options);
    return {e.what(), batches};
  }
  return {"its end", batches};
}

std::string refused(const AnySource& source, const Options& options) {
  try {
    Loader loader(source, options);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("every order is a function of seed, epoch and position alone", "[law][order]") {
  const bool ragged = GENERATE(false, true);
  for (const auto& order : all_orders(23)) {
    CAPTURE(to_string(order), ragged);
    auto options = small_options(!ragged);
    options.order = order;
    options.seed = 5;
    options.faults.policy = OnFault::skip;
    options.memory.max_sample_bytes = 256 << 10;
    if (ragged) {
      options.shape = Options().shape;
      options.sizes.mode = Sizes::ragged;
    }
    const Flawed source(23, 11);
    options.sizes.index = ragged ? measure_sizes(source) : nullptr;
    Loader first(source, options);
    const auto expected = drain(first, {.epochs = 2});
    CHECK(expected.indices.size() == 2 * positions_in(order, 23));
    const auto drawn = reached_by(order, 23);
    for (std::size_t i = 0; i < expected.indices.size(); ++i)
      if (expected.statuses[i] == RowStatus::replaced)
        CHECK(drawn.contains(expected.indices[i]));  // no sample that the order leaves out
    CHECK(first.snapshot().samples.conserved());
    for (const auto& other : on_other_machines(options)) {
      if (other.queue.max_queue_size == 1 && other.workers == 1) continue;
      Loader again(source, other);
      REQUIRE(drain(again, {.epochs = 2}) == expected);
    }
  }
}

TEST_CASE("an order without a sample for a position ends the stream", "[law][order]") {
  const bool throws = GENERATE(false, true);
  const int kind = GENERATE(0, 1, 2, 3);
  CAPTURE(throws, kind);
  auto options = small_options();
  options.order = broken_at(1, 17, throws);
  options.faults.policy = OnFault::blank;
  if (kind == 1) options.io.read_ahead = 3;
  if (kind >= 2) {
    options.shape = Options().shape;
    options.sizes.mode = kind == 2 ? Sizes::ragged : Sizes::padded;
    if (kind == 3) options.sizes.bucket_batches = 1;
  }
  Loader loader(synthetic(23, {24, 24}), options);
  for (int round = 0; round < 5; ++round) {
    const auto [why, batches] = end_of(loader);
    CHECK_THAT(why, has_text(throws ? "mine"
                                    : "`order` = own:broken: its function gives index 23 for epoch "
                                      "1, position 17; the source has 23"));
    CHECK(batches == 11 + 4);
  }
  const auto now = loader.snapshot();
  CHECK(now.samples.conserved());
  CHECK(now.samples.in_flight + now.samples.ready + now.samples.leased == 0);
}

TEST_CASE("a stream ends when its order lacks a replacement", "[law][order]") {
  auto options = small_options();
  options.faults.policy = OnFault::skip;
  options.batch = 1;
  // Position 0 fails. Its replacement is the sample of position 1.
  options.order = Order::own("no other", 2, [](auto, auto position, auto&) -> std::uint64_t {
    if (position == 1) throw std::out_of_range("mine");
    return 3;
  });
  Loader loader(Flawed(20, 20), options);
  const auto [why, batches] = end_of(loader);
  CHECK(why == "mine");
  CHECK(batches == 0);
  CHECK(loader.snapshot().samples.conserved());
}

TEST_CASE("an order is asked under no lock, and may look at the loader", "[law][order]") {
  const bool ragged = GENERATE(false, true);
  Loader* asked = nullptr;
  std::atomic<std::uint64_t> looks{0};
  auto options = small_options();
  options.order = Order::own("curious", 40, [&](auto, auto position, auto&) {
    if (asked) looks += asked->snapshot().samples.drawn + asked->report().samples.drawn > 0;
    return position % 23;
  });
  if (ragged) {
    options.shape = Options().shape;
    options.sizes.mode = Sizes::ragged;
  }
  Loader loader(synthetic(23, {24, 24}), options);
  asked = &loader;
  CHECK(drain(loader).indices.size() == 40);
  CHECK(looks > 30);
}

TEST_CASE("a batch of the largest image alone fits the floor", "[law][order][sizes]") {
  class Uneven {
   public:
    std::uint64_t size() const { return 9; }
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      return (i == 4 ? large_ : small_).read(i, sink);
    }
    std::string name(std::uint64_t i) const { return std::to_string(i); }
    std::uint64_t index_bytes() const { return 0; }

   private:
    AnySource large_ = synthetic(9, {90, 120}), small_ = synthetic(9, {10, 14});
  };
  auto options = small_options();
  options.shape = Options().shape;
  options.sizes.mode = Sizes::ragged;
  options.memory.max_sample_bytes = 1 << 20;
  options.order = Order::own("one", 20, [](auto, auto, auto&) { return 4; });
  options.memory.budget_bytes = Loader(Uneven(), options).plan().floor_bytes;
  Loader loader(Uneven(), options);
  auto stream = loader.stream();
  const auto bytes_of = [](std::uint64_t i) {
    return image_bytes((*measure_sizes(Uneven()))[i], PixelFormat::rgb8);
  };
  const auto largest = bytes_of(4);
  CHECK(largest > 20 * bytes_of(0));
  while (const auto batch = stream.next()) CHECK(batch->pixel_bytes().size() == 4 * largest);
  CHECK(loader.snapshot().samples.consumed == 20);
  CHECK(loader.snapshot().memory.peak <= options.memory.budget_bytes);
}

TEST_CASE("1,000 steps over 200 images hit a decoded cache 800 times", "[law][order][cache]") {
  auto options = small_options();
  options.batch = 1;
  options.order = Order::own("cameras", 1000, [](auto, auto position, auto&) {
    return (position * 7 + position / 200) % 200;
  });
  options.cache = {.keep = Cache::decoded, .max_bytes = 16 << 20};
  Loader loader(synthetic(200, {24, 24}), options);
  const auto log = drain(loader);
  CHECK(log.indices.size() == 1000);
  CHECK(std::set(log.indices.begin(), log.indices.end()).size() == 200);
  const auto cache = loader.report().cache;
  CHECK(cache.hits >= 800);
  CHECK(cache.hits + cache.misses == 1000);
  CHECK(cache.samples == 200);
}

TEST_CASE("weights and their table are on the books", "[law][order]") {
  const auto source = synthetic(5000, {24, 24});
  auto options = small_options();
  options.memory.max_sample_bytes = 64 << 10;
  const auto plain = Loader(source, options).snapshot().memory[Account::index];
  options.order = Order::weighted(std::vector<double>(5000, 1.5));
  Loader loader(source, options);
  CHECK(loader.snapshot().memory[Account::index] == plain + 24 * 5000);
  auto tight = options;
  tight.memory.budget_bytes = loader.plan().floor_bytes;
  CHECK(refused(source, tight) == "accepted");
  --*tight.memory.budget_bytes;
  CHECK_THAT(refused(source, tight), has_text("this needs at least"));
  // With sizes that differ, the plan draws, so the table is charged before.
  tight.shape = Options().shape;
  tight.sizes.mode = Sizes::ragged;
  tight.memory.budget_bytes = 24 * 5000 - 1;
  tight.sizes.index = measure_sizes(source);
  CHECK_THAT(refused(source, tight), has_text("no room for the 120000 bytes of `order.weights`"));
}

TEST_CASE("an impossible order is refused before a thread starts", "[law][order]") {
  const auto source = synthetic(10, {24, 24});
  const auto with = [&](Order order) {
    auto options = small_options();
    options.order = std::move(order);
    return refused(source, options);
  };
  const auto zero = [](auto, auto, auto&) { return 0; };
  CHECK_THAT(
      with(Order::weighted({1, 2})),
      has_text(
          "`order.weights` = 2 weights: the source has 10 samples, and each needs one weight"));
  CHECK_THAT(with({.kind = Order::Kind::weighted}), has_text("`order.weights` = null"));
  CHECK_THAT(with(Order::every(0)), has_text("`order.nth` = 0: must be 1 or more"));
  CHECK_THAT(with(Order::every(2, 10)),
             has_text("`order.offset` = 10: leaves no sample; the source has 10 samples"));
  CHECK_THAT(with(Order::blocks(0)), has_text("`order.block` = 0"));
  CHECK_THAT(with(Order::own("", 3, zero)), has_text("`order.name` = '': must be 1 to 64"));
  CHECK_THAT(with(Order::own("zwölf", 3, zero)), has_text("printable ASCII"));
  CHECK_THAT(with(Order::own("none", 3, nullptr)), has_text("`order.function` = empty"));
  CHECK(with(Order::own("some", 3, zero)) == "accepted");
}

TEST_CASE("a state of another order is refused with both values", "[law][order][resume]") {
  const auto source = synthetic(12, {24, 24});
  const auto with = [&](Order order) {
    auto options = small_options();
    options.order = std::move(order);
    return Loader(source, options);
  };
  const auto zero = [](auto, auto, auto&) { return 0; };
  std::vector<double> weights(12, 1.0);
  const auto refuses = [&](const Order& saved, const Order& present, const std::string& why) {
    const auto state = Progress::parse(with(saved).progress_after(1).to_json());
    CAPTURE(to_string(saved), to_string(present));
    CHECK_NOTHROW(with(saved).stream({.resume = state}));
    CHECK_THROWS_WITH(with(present).stream({.resume = state}), has_text(why));
  };
  const auto uniform = Order::weighted(weights);
  weights[3] = 2;
  const auto other = Order::weighted(weights);
  refuses(uniform, other,
          "order is " + to_string(uniform) + "; in this loader it is " + to_string(other));
  refuses(uniform, Order::shuffle(), "order is weighted:");
  refuses(Order::own("a", 20, zero), Order::own("b", 20, zero),
          "order is own:a; in this loader it is own:b");
  refuses(Order::own("a", 20, zero), Order::own("a", 21, zero),
          "samples is 20; in this loader it is 21");
  refuses(Order::with_replacement(30), Order::with_replacement(),
          "samples is 30; in this loader it is 12");
  refuses(Order::every(2, 0), Order::every(2, 1),
          "order is every:2:0; in this loader it is every:2:1");
  CHECK(with(Order::with_replacement(12))
            .stream({.resume = with(Order::with_replacement()).progress_after(1)})
            .next());
}
