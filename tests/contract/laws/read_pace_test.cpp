// Workers read while reads are quick, and readers while they are not.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "conductor/read_pace.hpp"
#include "contract/laws/breach.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using conductor::ReadPace;
/// A read that makes all reads slow.
constexpr std::chrono::nanoseconds slow_read((ReadPace::many + 1) * ReadPace::quick_ns);

/// Images in memory. Some reads take longer than many quick ones.
class Unsteady {
 public:
  struct Seen {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::uint64_t reads = 0;
    std::thread::id slow_reader{};  // the next read of another thread ends later
  };
  /// `with_another`: beside each slow read there is one of another thread that ends later.
  Unsteady(std::shared_ptr<Seen> seen, bool with_another)
      : seen_(std::move(seen)), with_another_(with_another) {
    const auto made = synthetic(500, {20, 24}, 3);
    std::vector<MemorySample> all;
    for (std::uint64_t i = 0; i < made.size(); ++i) {
      MemorySink sink;
      const auto bytes = made.read(i, sink).bytes;
      all.push_back({.name = std::to_string(i), .bytes = {bytes.begin(), bytes.end()}});
    }
    images_ = in_memory(std::move(all));
  }
  std::uint64_t size() const { return images_->size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto sample = images_->read(i, sink);
    std::chrono::nanoseconds takes{};
    {
      const std::lock_guard lock(seen_->mutex);
      const auto own = std::this_thread::get_id();
      seen_->threads.insert(own);
      if (seen_->slow_reader != std::thread::id() && seen_->slow_reader != own) {
        seen_->slow_reader = {};
        takes = 3 * slow_read;
      }
      if (seen_->reads++ % 1700 == 1699) {
        takes = slow_read;
        if (with_another_) seen_->slow_reader = own;
      }
    }
    if (takes.count() > 0) std::this_thread::sleep_for(takes);
    return sample;
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  std::optional<AnySource> images_;
  std::shared_ptr<Seen> seen_;
  bool with_another_;
};

/// The first read ends when a sample of the second batch is read, or after a minute.
class FirstWaits {
 public:
  static constexpr std::uint32_t batch = 64;
  std::uint64_t size() const { return images_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    if (i == batch) second_->release();
    if (i == 0 && !second_->try_acquire_for(std::chrono::minutes(1)))
      throw SampleError(FaultKind::timeout, "no other batch was begun");
    return images_.read(i, sink);
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource images_ = synthetic(2 * batch, {20, 24}, 3);
  std::shared_ptr<std::counting_semaphore<>> second_ =
      std::make_shared<std::counting_semaphore<>>(0);
};

}  // namespace

TEST_CASE("a batch is opened while the last row of another is read", "[law][progress]") {
  auto options = small_options();
  options.batch = FirstWaits::batch;
  options.workers = 2;
  options.queue.max_queue_size = 2;
  for (const std::uint32_t ahead : {0u, 2u}) {
    CAPTURE(ahead);
    options.io.read_ahead = ahead;
    Loader loader(FirstWaits(), options);
    std::uint64_t rows = 0;
    for (const auto& batch : loader.stream()) rows += batch.size();
    CHECK(rows == loader.size());
  }
}

TEST_CASE("rows do not depend on which threads read them", "[law][determinism]") {
  constexpr std::uint32_t ahead = 5;
  auto options = small_options();
  options.order = Order::shuffle();
  options.batch = 32;
  const StreamOptions extent{.epochs = 10};
  Loader alone(Unsteady(std::make_shared<Unsteady::Seen>(), false), options);
  const auto expected = drain(alone, extent);
  options.io.read_ahead = ahead;
  const auto floor = resolve(options, 0).floor_bytes;
  for (const std::uint64_t spare : {std::uint64_t{0}, std::uint64_t{20'000}, unlimited}) {
    CAPTURE(spare);
    if (spare != unlimited)
      options.memory.budget_bytes = floor + spare;
    else
      options.memory.budget_bytes = {};
    const auto seen = std::make_shared<Unsteady::Seen>();
    Loader loader(Unsteady(seen, false), options);
    CHECK(drain(loader, extent) == expected);
    CHECK(breach_of(loader.snapshot(), loader.plan()).empty());
    CHECK(seen->threads.size() > ahead);
  }
}

// A reader's row waits for bytes. Older rows come back from a worker whose read took long.
TEST_CASE("rows that are put back are read though others wait", "[law][progress][R3]") {
  auto options = small_options();
  options.batch = 64;
  options.workers = 2;
  options.io.read_ahead = 1;
  options.memory.budget_bytes = resolve(options, 0).floor_bytes;
  Loader loader(Unsteady(std::make_shared<Unsteady::Seen>(), true), options);
  auto stream = loader.stream({.epochs = 20});
  const std::jthread limit([&](const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any ended;
    ended.wait_for(lock, stop, std::chrono::seconds(60), [] { return false; });
    if (!stop.stop_requested()) stream.cancel();
  });
  std::uint64_t rows = 0;
  for (const auto& batch : stream) rows += batch.size();
  CHECK(rows == 20 * 500);
}
