#include <condition_variable>
#include <functional>
#include <mutex>

#include "support/catch.hpp"
#include "workload.hpp"

using namespace weir;
using namespace weir::test;
using namespace std::chrono_literals;

namespace {

/// Images whose reads block until the gate opens.
class Gated {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
    void let_through() {
      const std::lock_guard lock(mutex);
      open = true;
      changed.notify_all();
    }
  };
  explicit Gated(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  std::uint64_t size() const { return 64; }
  Encoded read(std::uint64_t i, ByteSink& sink) const {
    const auto encoded = images_.read(i, sink);
    std::unique_lock lock(gate_->mutex);
    gate_->changed.wait(lock, [&] { return gate_->open; });
    return encoded;
  }
  std::string name(std::uint64_t i) const { return std::to_string(i); }
  std::uint64_t index_bytes() const { return 0; }

 private:
  AnySource images_ = synthetic(64, little);
  std::shared_ptr<Gate> gate_;
};

/// Takes reports until one satisfies the condition, for a minute at most.
Report report_once(const Loader& loader, const std::function<bool(const Report&)>& satisfied) {
  const auto give_up = std::chrono::steady_clock::now() + 60s;
  for (;;) {
    auto report = loader.report();
    if (satisfied(report) || std::chrono::steady_clock::now() > give_up) return report;
    std::this_thread::sleep_for(5ms);
  }
}

}  // namespace

TEST_CASE("waits and reads count while they are still in progress", "[regimes]") {
  auto options = two_workers();
  const std::uint32_t read_ahead = GENERATE(0u, 2u);
  options.io.read_ahead = read_ahead;
  auto gate = std::make_shared<Gated::Gate>();
  Loader loader(Gated(gate), options);
  auto stream = loader.stream();
  std::thread consumer([&] { consume(stream, 1, 0); });
  const auto report = report_once(loader, [](const Report& now) {
    return now.queue.consumer_wait_s > 0.2 && now.regime == "storage";
  });
  gate->let_through();
  consumer.join();
  INFO(judge(report.queue).why);
  CHECK(report.regime == "storage");
  CHECK(report.queue.batches == 0);
  CHECK(report.queue.consumer_wait_s > 0.2);
  CHECK(report.queue.storage_wait_s > 0.1);
  // No read has ended, so the stage has no count.
  CHECK(report.stages[static_cast<std::size_t>(Stage::read)].count == 0);
  CHECK(report.queue.workers.storage_wait_s + report.queue.workers.read_s > 0.2);
  CHECK((report.queue.workers.storage_wait_s > report.queue.workers.read_s) == (read_ahead > 0));
}

TEST_CASE("a consumer that polls is seen to wait", "[regimes]") {
  auto options = two_workers();
  options.workers = 1;
  const auto state = std::make_shared<SlowSource::State>();
  state->delay_ms = 10;
  Loader loader(SlowSource(1'000'000, little, state), options);
  auto stream = loader.stream({.epochs = std::nullopt});
  for (int taken = 0; taken < 8;) {
    if (const auto batch = stream.try_next()) {
      ++taken;
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  const auto verdict = judge(undisturbed(interval(loader.report())));
  INFO(verdict.why);
  CHECK(verdict.regime == Regime::storage);
  CHECK(verdict.storage_wait > 0.5);
}

TEST_CASE("a consumer at work makes the workers' waiting grow", "[regimes]") {
  Loader loader(synthetic(1'000'000, little), two_workers());
  auto stream = loader.stream({.epochs = std::nullopt});
  const auto batch = stream.next();
  stream.settle();
  const auto before = loader.report();
  const auto later = report_once(loader, [&](const Report& now) {
    return now.queue.workers.idle_s > before.queue.workers.idle_s + 0.2;
  });
  CHECK(later.queue.workers.idle_s > before.queue.workers.idle_s + 0.2);
  CHECK(judge(undisturbed(interval(before, later))).regime == Regime::consumer);
}

TEST_CASE("stage times add up to the waits, batches and samples counted", "[regimes]") {
  auto options = two_workers();
  options.workers = 3;
  options.io.read_ahead = GENERATE(0u, 4u);
  constexpr std::uint64_t samples = 400, batches = 100, pixels = 16 * 16 * 3;
  Loader loader(synthetic(200, little), options);
  {
    auto stream = loader.stream({.epochs = 2});
    for (std::uint64_t i = 0; i < batches; ++i) CHECK(stream.next());
    CHECK_FALSE(stream.next());
  }
  const auto report = loader.report();
  const auto& queue = report.queue;
  const auto& workers = queue.workers;
  const double all = workers.read_s + workers.decode_s + workers.storage_wait_s +
                     workers.memory_wait_s + workers.idle_s;
  CHECK(all == Approx(3 * queue.seconds));
  CHECK(queue.storage_wait_s + queue.decode_wait_s + queue.memory_wait_s ==
        Approx(queue.consumer_wait_s));
  CHECK(queue.producer_wait_s == Approx(workers.idle_s / 3));
  CHECK(queue.consumer_wait_s <= queue.seconds);
  CHECK(queue.consumer.sum_s <= queue.seconds);
  CHECK(queue.batches == batches);
  CHECK(queue.batches_ready <= batches);
  CHECK(queue.consumer.count == batches);
  const auto count = [&](Stage stage) {
    return report.stages[static_cast<std::size_t>(stage)].count;
  };
  const auto bytes = [&](Stage stage) {
    return report.stages[static_cast<std::size_t>(stage)].bytes;
  };
  CHECK(count(Stage::read) == samples);
  CHECK(count(Stage::decode) == samples);
  CHECK(count(Stage::fit) == samples);
  CHECK(count(Stage::wait) == 0);
  CHECK(count(Stage::handoff) == batches);
  CHECK(count(Stage::lease) == batches);
  CHECK(bytes(Stage::read) == bytes(Stage::decode));
  for (const auto stage : {Stage::fit, Stage::handoff, Stage::lease})
    CHECK(bytes(stage) == samples * pixels);
  for (const auto& stage : report.stages) {
    if (stage.count == 0) continue;
    REQUIRE(stage.quantile_us(0.5));
    CHECK(*stage.quantile_us(0.5) <= *stage.quantile_us(0.9));
    CHECK(*stage.quantile_us(0.9) <= *stage.quantile_us(0.99));
  }
  CHECK(report.readings >= 3 * samples + 2 * batches);
  CHECK(interval(report).samples == samples);
  CHECK(interval(report).batches == batches);
}

TEST_CASE("a lease may end after its loader and is not timed", "[regimes]") {
  std::optional<Batch> batch;
  {
    Loader loader(synthetic(40, little), two_workers());
    auto stream = loader.stream();
    stream.next().reset();
    batch = stream.next();
    CHECK(loader.report().stages[static_cast<std::size_t>(Stage::lease)].count == 1);
  }
  CHECK(batch);
  batch.reset();
}
