#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/at_rest.hpp"
#include "contract/stopping/gate.hpp"
#include "contract/stopping/process.hpp"
#include "support/catch.hpp"
#ifdef WEIR_COUNTS_HEAP
#include "support/allocations.hpp"
#endif

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

struct TrainingFailed : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace

TEST_CASE("a stream works after a consumer threw between batches", "[R7]") {
  Loader loader(synthetic(40, {24, 24}), small_options());
  const auto reference = drain(loader);
  for (int repeat = 0; repeat < 5; ++repeat) {
    try {
      auto stream = loader.stream();
      for (auto& batch : stream)
        if (batch.sequence() == 2) throw TrainingFailed("loss is NaN");
      FAIL("the consumer should have thrown");
    } catch (const TrainingFailed&) {
    }
    check_at_rest(loader);
  }
  CHECK(drain(loader) == reference);
}

TEST_CASE("an iterator abandoned during an epoch leaves nothing", "[R7]") {
  Loader loader(synthetic(40, {24, 24}), small_options());
  {
    auto stream = loader.stream();
    auto at = stream.begin();
    ++at;
    CHECK(at->sequence() == 1);
  }
  check_at_rest(loader);
  CHECK(drain(loader).indices.size() == 40);
}

TEST_CASE("held batches keep their pixels after their loader has gone", "[R7]") {
  const auto upstream = std::make_shared<CountingUpstream>();
  auto options = small_options();
  options.memory.upstream = upstream;
  options.queue.max_leases = 3;
  std::vector<Batch> held;
  std::vector<std::uint8_t> pixels;
  {
    Loader loader(synthetic(40, {24, 24}), options);
    auto stream = loader.stream();
    for (int i = 0; i < 3; ++i) held.push_back(*stream.next());
    const auto seen = held[1].pixels().pixels;
    pixels.assign(seen.begin(), seen.end());
  }
  CHECK(upstream->outstanding() == 3 * held[0].bytes_held());
  const auto kept = held[1].pixels().pixels;
  CHECK(std::equal(kept.begin(), kept.end(), pixels.begin(), pixels.end()));
  held.clear();
  CHECK(upstream->outstanding() == 0);
  CHECK(drain(*std::make_unique<Loader>(synthetic(40, {24, 24}), options)).indices.size() == 40);
}

TEST_CASE("a loader stops while a consumer holds all leases and resumes", "[R7]") {
  auto options = small_options();
  options.queue = {2, 2};
  Loader loader(synthetic(80, {24, 24}), options);
  auto stream = loader.stream();
  std::vector<Batch> held;
  for (int i = 0; i < 2; ++i) held.push_back(*stream.next());
  stream.settle();
  const auto drawn = loader.snapshot().samples.drawn;
  CHECK(drawn == 4 * options.batch);
  CHECK(loader.snapshot().ready == 2);
  held.clear();
  std::uint64_t rows = 2 * options.batch;
  for (auto& batch : stream) rows += batch.size();
  CHECK(rows == 80);
}

TEST_CASE("next() on two threads gives each batch to one, in order", "[R9]") {
  auto options = small_options();
  options.queue.max_leases = 2;
  Loader loader(synthetic(400, {24, 24}), options);
  auto stream = loader.stream();
  std::array<std::vector<std::uint64_t>, 2> seen;
  const auto consume = [&stream](std::vector<std::uint64_t>& mine) {
    while (const auto batch = stream.next()) mine.push_back(batch->sequence());
  };
  std::thread other(consume, std::ref(seen[1]));
  consume(seen[0]);
  other.join();
  CHECK(seen[0].size() + seen[1].size() == 100);
  std::set<std::uint64_t> all;
  for (const auto& mine : seen) {
    CHECK(std::ranges::is_sorted(mine));
    all.insert(mine.begin(), mine.end());
  }
  CHECK(all.size() == 100);
}

TEST_CASE("cancel() may be called again from any thread at any time", "[R9]") {
  Loader loader(synthetic(400, {24, 24}), small_options());
  {
    auto stream = loader.stream();
    CHECK(stream.next());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { stream.cancel(); });
    for (auto& thread : threads) thread.join();
    stream.cancel();
    CHECK_FALSE(stream.next());
    CHECK_FALSE(stream.next(1ms));
    CHECK_FALSE(stream.try_next());
    stream.settle();
    check_at_rest(loader);
  }
  auto stream = loader.stream();
  while (stream.next()) {
  }
  stream.cancel();
  CHECK_FALSE(stream.next());
  CHECK(stream.finished());
}

TEST_CASE("cancel() and the end release a thread in next(timeout)", "[R9]") {
  for (const bool cancels : {true, false}) {
    Loader loader(synthetic(cancels ? 100 : 4, {24, 24}), small_options());
    auto stream = loader.stream();
    const auto last = stream.next();
    REQUIRE(last);
    std::atomic<pid_t> thread{0};
    std::atomic<bool> came{false};
    std::thread waiting([&] {
      thread = this_thread();
      came = stream.next(1h).has_value();
    });
    if (cancels) {
      until([&] { return thread != 0 && asleep(thread); }, "next() to wait for the lease");
      stream.cancel();
    }
    waiting.join();
    CHECK_FALSE(came);
    CHECK(stream.finished());
  }
}

TEST_CASE("a stream can be cancelled from its Source::read", "[R9]") {
  for (const std::uint32_t read_ahead : {0u, 3u}) {
    std::atomic<Stream*> running{nullptr};
    auto options = small_options();
    options.io.read_ahead = read_ahead;
    const auto images = synthetic(400, {24, 24});
    struct Cancelling {
      AnySource images;
      std::atomic<Stream*>* stream;
      std::uint64_t size() const { return images.size(); }
      Encoded read(std::uint64_t i, ByteSink& sink) const {
        if (i == 21) {
          until([&] { return stream->load() != nullptr; }, "the stream to be made");
          stream->load()->cancel();
        }
        return images.read(i, sink);
      }
      std::string name(std::uint64_t i) const { return std::to_string(i); }
      std::uint64_t index_bytes() const { return 0; }
    };
    Loader loader(Cancelling{images, &running}, options);
    auto stream = loader.stream();
    running = &stream;
    std::uint64_t batches = 0;
    while (stream.next()) ++batches;
    CHECK(batches <= 5);
    stream.settle();
    check_at_rest(loader);
  }
}

TEST_CASE("a Source may ask its loader but is refused its own stream", "[R9]") {
  struct Meddling {
    AnySource images;
    std::atomic<Loader*>* loader;
    std::atomic<Stream*>* stream;
    std::atomic<int>*looks, *refused;
    std::uint64_t size() const { return images.size(); }
    Encoded read(std::uint64_t i, ByteSink& sink) const {
      until([&] { return stream->load() != nullptr; }, "the stream to be made");
      if (loader->load()->snapshot().samples.conserved()) ++*looks;
      (void)loader->load()->report();
      for (const bool settle : {false, true}) {
        try {
          settle ? stream->load()->settle() : static_cast<void>(stream->load()->next());
        } catch (const Error& error) {
          if (error.code() == Errc::bad_options) ++*refused;
        }
      }
      return images.read(i, sink);
    }
    std::string name(std::uint64_t i) const { return std::to_string(i); }
    std::uint64_t index_bytes() const { return 0; }
  };
  std::atomic<Loader*> at{nullptr};
  std::atomic<Stream*> running{nullptr};
  std::atomic<int> looks{0}, refused{0};
  Loader loader(Meddling{synthetic(20, {24, 24}), &at, &running, &looks, &refused},
                small_options());
  at = &loader;
  auto stream = loader.stream();
  running = &stream;
  std::uint64_t rows = 0;
  for (auto& batch : stream) rows += batch.size();
  CHECK(rows == 20);
  CHECK(looks == 20);
  CHECK(refused == 40);
}

TEST_CASE("a snapshot allocates nothing, whatever the loader is at", "[R15]") {
#ifdef WEIR_COUNTS_HEAP
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.codecs = {std::make_shared<const GatedCodec>(gate)};
  Loader loader(Scripted(40, [](auto) { return GatedCodec::file(); }), options);
  auto stream = loader.stream();
  gate->await(static_cast<int>(options.workers));  // all are in a decode, and blocked
  const auto before = allocations();
  for (int i = 0; i < 1000; ++i)
    if (!loader.snapshot().samples.conserved()) FAIL("not conserved");
  CHECK(allocations() - before < 1000);  // the strand may still make slabs
  gate->open();
#endif
}
