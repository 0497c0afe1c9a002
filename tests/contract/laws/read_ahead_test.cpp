#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// Storage under control of the test: every read blocks until release(). Records the order of
/// reads, their maximum number at once, and whether their bytes were charged.
class Gate {
 public:
  void watch(const Loader& loader) {
    const std::lock_guard lock(mutex_);
    loader_ = &loader;
  }

  /// Called by the read of `index` when it has its `bytes`.
  void pass(std::uint64_t index, std::size_t bytes) {
    std::unique_lock lock(mutex_);
    begun_.push_back(index);
    under_way_.push_back(index);
    most_ = std::max(most_, under_way_.size());
    bytes_ += bytes;
    // A consistent snapshot needs one posting more. Bytes that have arrived may be charged beside
    // those of reads under way.
    if (loader_->snapshot().memory[Account::encoded] < bytes_) ++uncharged_;
    changed_.notify_all();
    changed_.wait(
        lock, [&] { return open_ || std::ranges::find(under_way_, index) == under_way_.end(); });
    std::erase(under_way_, index);
    bytes_ -= bytes;
  }

  /// Blocks until `count` reads have begun. Returns all of them, in order.
  std::vector<std::uint64_t> begun(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= count; });
    return begun_;
  }
  std::vector<std::uint64_t> under_way() {
    const std::lock_guard lock(mutex_);
    return under_way_;
  }
  void release(std::uint64_t index) {
    const std::lock_guard lock(mutex_);
    std::erase(under_way_, index);
    changed_.notify_all();
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  std::size_t most() {
    const std::lock_guard lock(mutex_);
    return most_;
  }
  int uncharged() {
    const std::lock_guard lock(mutex_);
    return uncharged_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const Loader* loader_ = nullptr;
  std::vector<std::uint64_t> begun_, under_way_;
  std::size_t most_ = 0, bytes_ = 0;
  int uncharged_ = 0;
  bool open_ = false;
};

class Gated {
 public:
  Gated(std::uint64_t count, std::shared_ptr<Gate> gate)
      : images_(synthetic(count, {20, 24}, 3)), gate_(std::move(gate)) {}
  std::uint64_t size() const { return images_.size(); }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto sample = images_.read(i, sink);
    gate_->pass(i, sample.bytes.size());
    return sample;
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource images_;
  std::shared_ptr<Gate> gate_;
};

}  // namespace

TEST_CASE("read-ahead charges n reads in ticket order before they start", "[law]") {
  constexpr std::uint32_t samples = 64;
  constexpr std::uint32_t ahead = 6;
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.io.read_ahead = ahead;
  options.queue.max_queue_size = samples / options.batch;  // as deep as the data: no batch blocks
  Loader loader(Gated(samples, gate), options);
  REQUIRE(loader.plan().read_ahead == ahead);
  gate->watch(loader);
  auto stream = loader.stream();
  RandomStream random(5);
  std::vector<std::uint64_t> tickets(ahead);
  std::iota(tickets.begin(), tickets.end(), 0);
  // The scheduler decides which of the first threads reads first. The set of tickets is fixed.
  auto first = gate->begun(ahead);
  std::ranges::sort(first);
  CHECK(first == tickets);
  // Reads end in any order. Each one starts the next ticket, but only after a worker has taken it.
  for (std::uint64_t next = ahead; next < samples; ++next) {
    const auto under_way = gate->under_way();
    REQUIRE(under_way.size() == ahead);
    gate->release(under_way[random.below(ahead)]);
    CHECK(gate->begun(next + 1).back() == next);
  }
  CHECK(gate->most() == ahead);
  CHECK(gate->uncharged() == 0);
  gate->open();
  std::uint64_t rows = 0;
  for (auto& batch : stream) rows += batch.size();
  CHECK(rows == samples);
}

TEST_CASE("read-ahead: no more than the queue has drawn is read", "[law]") {
  const auto gate = std::make_shared<Gate>();
  auto options = small_options();
  options.io.read_ahead = 50;
  options.queue.max_queue_size = 2;
  Loader loader(Gated(40, gate), options);
  REQUIRE(loader.plan().read_ahead == 2 * options.batch);
  gate->watch(loader);
  auto stream = loader.stream();
  auto drawn = gate->begun(2 * options.batch);
  std::ranges::sort(drawn);
  CHECK(drawn.back() == 2 * options.batch - 1);
  gate->open();
  const auto batch = stream.next();
  CHECK(batch->indices().front() == 0);
  stream.cancel();
  CHECK(gate->most() <= 2 * options.batch);
  CHECK(gate->uncharged() == 0);
}
