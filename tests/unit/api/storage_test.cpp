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
      : images_(synthetic(count, {20, 24, 3}, 5)), slow_(slow) {}

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

Options two_threads(std::uint32_t read_ahead) {
  auto options = small_options();
  options.workers = 2;
  options.io.read_ahead = read_ahead;
  options.queue.max_queue_size = 3;
  return options;
}

}  // namespace

TEST_CASE("one slow read keeps the others from nothing and no byte over budget", "[api][D8]") {
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
