#include <atomic>
#include <chrono>
#include <memory_resource>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

TEST_CASE("range-for releases its batch before it asks for the next", "[api]") {
  Loader loader(synthetic(10, {24, 24}), small_options());
  std::uint64_t rows = 0;
  auto stream = loader.stream();
  for (auto& batch : stream) rows += batch.size();
  CHECK(rows == 10);
  CHECK(stream.finished());
  CHECK_FALSE(stream.next());
  CHECK_FALSE(stream.next());
}

TEST_CASE("a lease too many throws and names the option", "[api]") {
  Loader loader(synthetic(20, {24, 24}), small_options());
  auto stream = loader.stream();
  auto batch = stream.next();
  REQUIRE(batch);
  CHECK_THROWS_WITH(stream.next(), has_text("`queue.max_leases` = 1"));
  CHECK_THROWS_WITH(stream.try_next(), has_text("`queue.max_leases` = 1"));
  CHECK_FALSE(stream.next(5ms));
  batch.reset();
  CHECK(stream.next(10s));
}

TEST_CASE("a lease without an end that is waited for ends at once", "[api]") {
  Loader loader(synthetic(20, {24, 24}), small_options());
  auto stream = loader.stream();
  auto batch = stream.next();
  REQUIRE(batch);
  std::move(*batch).release_when(nullptr).finish();
  CHECK(stream.next(10s));
  CHECK(loader.snapshot().samples.consumed == 8);
}

TEST_CASE("the batch of a taker that throws counts as discarded", "[api]") {
  auto options = small_options();
  options.batch = 4;
  Loader loader(synthetic(8, {24, 24}), options);
  auto stream = loader.stream();
  std::atomic<int> calls{0};
  stream.async_next([&](const std::exception_ptr&, const std::optional<Batch>& batch) {
    calls += batch ? 1 : 0;
    throw std::runtime_error("the taker's own");
  });
  while (loader.snapshot().samples.discarded == 0) std::this_thread::yield();
  CHECK(calls == 1);
  stream.async_next([&](const std::exception_ptr&, const std::optional<Batch>&) { ++calls; });
  while (loader.snapshot().samples.consumed == 0) std::this_thread::yield();
  const auto samples = loader.snapshot().samples;
  CHECK(samples.discarded == 4);
  CHECK(samples.consumed == 4);
  CHECK(samples.conserved());
}

TEST_CASE("next with a timeout waits for a lease to come back", "[api]") {
  Loader loader(synthetic(20, {24, 24}), small_options());
  auto stream = loader.stream();
  auto held = stream.next();
  std::thread other([&] {
    std::this_thread::sleep_for(20ms);
    held.reset();
  });
  const auto batch = stream.next(20s);
  other.join();
  REQUIRE(batch);
  CHECK(batch->sequence() == 1);
}

TEST_CASE("a timeout beyond the clock's range waits for the batch", "[api]") {
  Loader loader(synthetic(20, {24, 24}), small_options());
  auto stream = loader.stream();
  std::uint64_t rows = 0;
  while (auto batch = stream.next(std::chrono::steady_clock::duration::max()))
    rows += batch->size();
  CHECK(rows == 20);
  CHECK(stream.finished());
  CHECK_FALSE(stream.next(std::chrono::steady_clock::duration::min()));
}

TEST_CASE("a watchdog or tuning interval beyond the clock never comes", "[api]") {
  auto options = small_options();
  options.watchdog.after = std::chrono::milliseconds::max();
  options.tuning.mode = Tuning::automatic;
  options.tuning.interval = std::chrono::milliseconds::max();
  std::atomic<int> stalls{0};
  options.watchdog.on_stall = [&](const std::string&) { ++stalls; };
  Loader loader(synthetic(20, {24, 24}), options);
  auto stream = loader.stream();
  std::this_thread::sleep_for(20ms);
  while (stream.next(10s)) {
  }
  CHECK(stalls == 0);
  CHECK(loader.report().moves.empty());
}

TEST_CASE("an upstream that returns null is an allocation that failed", "[api]") {
  class Null final : public std::pmr::memory_resource {
    void* do_allocate(std::size_t, std::size_t) override { return nullptr; }
    void do_deallocate(void*, std::size_t, std::size_t) override {}
    bool do_is_equal(const memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  auto options = small_options();
  if (sanitized) return skip("UBSan stops in std::pmr::memory_resource::allocate()");
  options.memory.upstream = std::make_shared<Null>();
  Loader loader(synthetic(20, {24, 24}), options);
  CHECK_THROWS_AS(loader.stream().next(), std::bad_alloc);
  CHECK(loader.snapshot().memory[Account::idle] == 0);
}

TEST_CASE("try_next gives what is ready and does not wait", "[api]") {
  Loader loader(synthetic(8, {24, 24}), small_options());
  auto stream = loader.stream();
  stream.settle();
  CHECK(stream.try_next());
  CHECK(stream.try_next());
  CHECK_FALSE(stream.try_next());
  CHECK(stream.finished());
}

TEST_CASE("a stop token ends a stream, another thread a blocked next()", "[api]") {
  auto options = small_options();
  Loader loader(synthetic(1'000'000, {24, 24}), options);
  std::stop_source stop;
  {
    auto stream = loader.stream({.epochs = std::nullopt, .stop = stop.get_token()});
    CHECK(stream.next());
    stop.request_stop();
    CHECK_FALSE(stream.next());
    CHECK(stream.finished());
  }
  {
    auto stream = loader.stream({.epochs = std::nullopt});
    std::thread other([&] {
      std::this_thread::sleep_for(10ms);
      stream.cancel();
    });
    while (stream.next()) {
    }
    other.join();
    CHECK(stream.finished());
  }
  const auto t = loader.snapshot().samples;
  CHECK(t.conserved());
  CHECK(t.in_flight + t.ready + t.leased == 0);
  // The token was stopped before the stream began.
  auto stream = loader.stream({.stop = stop.get_token()});
  CHECK_FALSE(stream.next());
}

TEST_CASE("one live stream a loader", "[api]") {
  Loader loader(synthetic(8, {24, 24}), small_options());
  {
    auto stream = loader.stream();
    CHECK_THROWS_AS(loader.stream(), Error);
    CHECK(stream.next());
  }
  CHECK(drain(loader).indices.size() == 8);
}

TEST_CASE("streams follow each other and slabs are kept between them", "[api]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto options = small_options();
  options.memory.upstream = upstream;
  Loader loader(synthetic(40, {24, 24}), options);
  const auto first = drain(loader);
  const auto slabs = upstream->allocations();
  CHECK(drain(loader) == first);
  CHECK(drain(loader) == first);
  CHECK(upstream->allocations() <= loader.plan().slabs);
  CHECK(upstream->allocations() >= slabs);
  CHECK(loader.snapshot().samples.consumed == 120);
}

TEST_CASE("an empty set, one sample, a set smaller than a batch", "[api][D10]") {
  for (const std::uint64_t count : {0u, 1u, 3u}) {
    for (const bool drop_last : {false, true}) {
      auto options = small_options();
      options.drop_last = drop_last;
      if (drop_last && count > 0) {
        CHECK_THROWS_WITH(Loader(synthetic(count, {24, 24}), options),
                          has_text("`batch` = 4: with drop_last"));
        continue;
      }
      Loader loader(synthetic(count, {24, 24}), options);
      const auto log = drain(loader, {.epochs = 2});
      CHECK(log.indices.size() == 2 * count);
      auto stream = loader.stream({.epochs = count == 0 ? std::nullopt : std::optional(1ull)});
      stream.settle();
      if (count == 0) CHECK_FALSE(stream.next());
    }
  }
}

TEST_CASE("drop_last omits and counts the short batch of every epoch", "[api][D10]") {
  auto options = small_options();
  options.drop_last = true;
  Loader loader(synthetic(10, {24, 24}), options);
  const auto log = drain(loader, {.epochs = 3});
  CHECK(log.indices.size() == 24);
  CHECK(loader.snapshot().samples.omitted == 6);
  CHECK(loader.snapshot().samples.drawn == 24);
}

TEST_CASE("endless epochs prefetch across the seam", "[api]") {
  auto options = small_options();
  options.queue.max_queue_size = 6;
  Loader loader(synthetic(8, {24, 24}), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  stream.settle();
  CHECK(loader.snapshot().samples.drawn == 24);
  for (std::uint64_t i = 0; i < 9; ++i) {
    const auto batch = stream.next();
    REQUIRE(batch);
    CHECK(batch->epoch() == i / 2);
  }
}

TEST_CASE("batches outlive stream and loader, in any order", "[api]") {
  auto options = small_options();
  options.queue.max_leases = 2;
  std::optional<Batch> first, second;
  std::optional<Stream> stream;
  {
    Loader loader(synthetic(40, {24, 24}), options);
    stream = loader.stream();
    first = stream->next();
  }
  second = stream->next();
  REQUIRE(second);
  first.reset();
  CHECK(stream->next());
  stream.reset();
  CHECK(second->labels()[0] == 4);
  CHECK(second->pixels().pixels.size() == 4 * 16 * 16 * 3);
}

TEST_CASE("slices and images are views of the batch and are checked", "[api]") {
  Loader loader(synthetic(4, {24, 24}), small_options());
  auto stream = loader.stream();
  const auto batch = stream.next();
  REQUIRE(batch);
  const auto image = image_bytes({16, 16}, PixelFormat::rgb8);
  CHECK(batch->slice(1, 2).pixels.data() == batch->pixels().pixels.data() + image);
  CHECK(batch->slice(1, 2).count == 2);
  CHECK(batch->slice(4, 0).count == 0);
  CHECK_THROWS_AS(batch->slice(3, 2), Error);
  CHECK_THROWS_AS(batch->slice(5, 0), Error);
  CHECK(batch->image(3).data == batch->pixels().pixels.data() + 3 * image);
  CHECK(batch->image(0).row_stride == 48);
  CHECK_THROWS_AS(batch->image(4), Error);
}

TEST_CASE("a converter takes a batch, also a short one", "[api]") {
  auto options = small_options();
  options.batch = 4;
  Loader loader(synthetic(6, {24, 24}), options);
  const Converter<float> to_float;
  std::vector<float> all(4 * loader.plan().row_values()), one(loader.plan().row_values());
  std::vector<std::uint32_t> sizes;
  for (const Batch& batch : loader.stream()) {
    CHECK(to_float(batch, all).size() == batch.size() * one.size());
    const auto last = batch.size() - 1;
    to_float(batch.slice(last, 1), one);
    CHECK(std::ranges::equal(one, std::span(all).subspan(last * one.size(), one.size())));
    sizes.push_back(batch.size());
  }
  CHECK(sizes == std::vector<std::uint32_t>{4, 2});
}

TEST_CASE("a run lasts until its consumer ends, not its producers", "[api]") {
  auto options = small_options();
  options.queue.max_queue_size = 8;
  Loader loader(synthetic(12, {24, 24}), options);
  auto stream = loader.stream();
  stream.settle();
  constexpr auto step = 20ms;
  std::uint64_t batches = 0;
  for (auto& batch : stream) {
    if (batch.size() != 0) ++batches;
    std::this_thread::sleep_for(step);
  }
  const auto run = loader.report().throughput;
  CHECK(run.seconds >= std::chrono::duration<double>(step * batches).count());
  std::this_thread::sleep_for(step);
  CHECK(loader.report().throughput.seconds == run.seconds);
}
