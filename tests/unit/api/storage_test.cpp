#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Storage that delays one sample as long as the test requires.
class Storage {
 public:
  Storage(std::uint64_t count, std::uint64_t slow)
      : images_(synthetic(count, {20, 24}, 5)), slow_(slow) {}

  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false, waited_for = false;
    std::set<std::uint64_t> read;  ///< samples whose bytes have arrived
  };

  std::uint64_t size() const { return images_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto encoded = images_.read(i, sink);
    std::unique_lock lock(gate_->mutex);
    if (i == slow_) {
      gate_->waited_for = true;
      gate_->changed.notify_all();
      gate_->changed.wait(lock, [&] { return gate_->open; });
    }
    gate_->read.insert(i);
    gate_->changed.notify_all();
    return encoded;
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::shared_ptr<Gate> gate() const { return gate_; }

 private:
  AnySource images_;
  std::uint64_t slow_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

void open(Storage::Gate& gate) {
  const std::lock_guard lock(gate.mutex);
  gate.open = true;
  gate.changed.notify_all();
}

/// Takes many parts before the image.
class ManyParts {
 public:
  static constexpr std::uint64_t parts = 500;

  explicit ManyParts(std::uint64_t samples) : image_(synthetic(samples, {24, 24})) {}

  std::uint64_t size() const { return image_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    for (std::uint64_t part = 0; part < parts; ++part, ++*takes_) sink.take(1000);
    return image_.read(i, sink);
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }
  std::shared_ptr<const std::atomic<std::uint64_t>> takes() const { return takes_; }

 private:
  AnySource image_;
  std::shared_ptr<std::atomic<std::uint64_t>> takes_ =
      std::make_shared<std::atomic<std::uint64_t>>(0);
};

Options two_threads(std::uint32_t read_ahead) {
  auto options = small_options();
  options.workers = 2;
  options.io.read_ahead = read_ahead;
  options.queue.max_queue_size = 3;
  return options;
}

}  // namespace

TEST_CASE("one slow read delays no other samples and breaks no budget", "[api][D8]") {
  const auto read_ahead = GENERATE(0u, 2u);
  const Storage storage(24, 5);  // sample 5 is in the second batch of four
  const auto gate = storage.gate();
  auto options = two_threads(read_ahead);
  options.memory.budget_bytes = resolve(options, 0).floor_bytes + (64u << 20);
  Loader loader(storage, options);
  REQUIRE(loader.plan().max_queue_size == 3);
  auto stream = loader.stream();
  CHECK(stream.next());  // the first batch does not wait for sample 5
  {
    // The other samples within the queue's three further batches do not wait either, to the last
    // row. Only those taken with it in one run wait.
    std::unique_lock lock(gate->mutex);
    gate->changed.wait(lock, [&] { return gate->waited_for && gate->read.contains(15); });
    CHECK(gate->read.size() >= 12);
    CHECK_FALSE(gate->read.contains(5));
  }
  CHECK_FALSE(stream.try_next());
  const auto now = loader.snapshot();
  CHECK(now.memory.live <= now.memory.budget);
  CHECK(sum(now.memory) == now.memory.live);
  CHECK(now.samples.conserved());
  open(*gate);
  std::uint64_t rows = 4;
  while (const auto batch = stream.next()) rows += batch->size();
  CHECK(rows == 24);
  CHECK(loader.snapshot().memory.peak <= options.memory.budget_bytes);
}

TEST_CASE("a sample in many parts is read few times within any budget", "[api]") {
  constexpr std::uint64_t samples = 6;
  const bool least_budget = GENERATE(false, true);
  const auto read_ahead = GENERATE(0u, 2u);
  auto options = two_threads(read_ahead);
  // The sample has 512 KB. What it takes in advance would leave the scratch no room in the reserve.
  options.memory.max_sample_bytes = 640 << 10;
  const auto least = resolve(options, 0, 0, samples).floor_bytes + 4096;
  if (least_budget) options.memory.budget_bytes = least;
  const ManyParts source(samples);
  const auto takes = source.takes();
  Loader loader(source, options);
  const auto log = drain(loader, {});
  CHECK(log.indices.size() == samples);
  CHECK(loader.report().fault_count == 0);
  if (least_budget) CHECK(loader.snapshot().memory.peak <= least);
  // Twice the memory each time. Read again for each part, these would be 125,000 for a sample.
  CHECK(*takes <= 6 * ManyParts::parts * samples);
}

TEST_CASE("a cancel waits for the read under way and for no other", "[api][D8]") {
  const auto read_ahead = GENERATE(0u, 2u);
  const Storage storage(400, 5);
  const auto gate = storage.gate();
  Loader loader(storage, two_threads(read_ahead));
  std::size_t before = 0;
  {
    auto stream = loader.stream();
    std::unique_lock lock(gate->mutex);
    gate->changed.wait(lock, [&] { return gate->waited_for; });
    lock.unlock();
    stream.cancel();  // at once, independent of the storage
    CHECK(stream.finished());
    CHECK_FALSE(stream.next());
    lock.lock();
    before = gate->read.size();
    lock.unlock();
    open(*gate);
  }
  // Each thread is in at most one read.
  const std::lock_guard lock(gate->mutex);
  CHECK(gate->read.size() <= before + 2 + read_ahead);
  const auto samples = loader.snapshot().samples;
  CHECK(samples.conserved());
  CHECK(samples.in_flight + samples.ready + samples.leased == 0);
}
