#include <random>

#include "api/stream_state.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// A loader and its stream, with access to the engine.
struct Running {
  Running(const AnySource& source, const Options& options, std::uint64_t epochs)
      : loader(api::open_loader(source, options)), stream(loader, {.epochs = epochs}) {}
  std::optional<Batch> next() { return stream.next(std::nullopt, engine::Handoff::Lease::at_once); }
  std::uint64_t staged() const { return staging(loader->book->snapshot().memory); }

  std::shared_ptr<engine::LoaderState> loader;
  api::StreamState stream;
};

/// Changes every setting up and down, until it is destroyed.
class Meddler {
 public:
  Meddler(engine::Engine& engine, const Setting& most)
      : thread_([this, &engine, most](const std::stop_token& stop) {
          std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time
          const auto below = [&](std::uint32_t end) {
            return static_cast<std::uint32_t>(random() % end);
          };
          while (!stop.stop_requested()) {
            engine.apply({1 + below(most.max_queue_size), 1 + below(most.workers),
                          below(most.read_ahead + 1), most.batch});
            ++moves_;
            std::this_thread::sleep_for(std::chrono::microseconds(below(500)));
          }
        }) {}
  std::uint64_t moves() const noexcept { return moves_; }

 private:
  std::atomic<std::uint64_t> moves_{0};
  std::jthread thread_;
};

}  // namespace

TEST_CASE("knobs that move during a stream change no order or pixels", "[api][knobs]") {
  auto options = small_options();
  options.fit = Fit::random;
  options.order = Order::shuffle();
  options.faults.policy = OnFault::skip;
  options.queue.max_queue_size = 6;
  options.workers = 4;
  options.io.read_ahead = 8;
  const Flawed source(200, 11);
  const std::uint64_t epochs = 6;
  Loader plain(source, options);
  const auto expected = drain(plain, {.epochs = epochs});

  if (GENERATE(false, true)) {
    options.memory.max_sample_bytes = plain.plan().max_sample_bytes;
    options.memory.budget_bytes =
        resolve(options, source.index_bytes()).floor_bytes + 4 * plain.plan().slab_bytes;
  }
  Running running(source, options, epochs);
  const auto& plan = running.loader->plan;
  const Meddler meddler(*running.stream.running,
                        {plan.max_queue_size, plan.workers, plan.read_ahead, plan.batch});
  Log log;
  for (std::uint64_t moves = 0; const auto batch = running.next();) {
    log.add(*batch);
    // At least ten moves, also where the other thread seldom gets a CPU.
    for (moves = std::min<std::uint64_t>(moves + 1, 10); meddler.moves() < moves;)
      std::this_thread::yield();
  }
  CHECK(log == expected);
  const auto now = running.loader->book->snapshot();
  CHECK(now.samples.conserved());
  CHECK(now.memory.live <= now.memory.budget.value_or(UINT64_MAX));
}

TEST_CASE("a queue that is made smaller gives its slabs back", "[api][knobs]") {
  auto options = small_options();
  options.queue.max_queue_size = 6;
  Running running(synthetic(200, {24, 24}), options, 1);
  auto& engine = *running.stream.running;
  const auto slab = running.loader->plan.slab_bytes;
  engine.handoff().settle();
  CHECK(running.staged() == 6 * slab);

  engine.apply({2, 3, 0, options.batch});
  for (int i = 0; i < 6; ++i) REQUIRE(running.next());
  engine.handoff().settle();
  CHECK(running.staged() == 3 * slab);  // two in the queue, one for a lease
  CHECK(running.loader->knobs.get().now == Setting{2, 3, 0, options.batch});

  engine.apply({5, 3, 0, options.batch});
  engine.handoff().settle();
  CHECK(running.staged() == 5 * slab);
  std::uint64_t left = 0;
  while (running.next()) ++left;
  CHECK(left == 200 / options.batch - 6);
}

TEST_CASE("a stream's queue and workers can be set while it runs", "[api][knobs]") {
  auto options = small_options();
  options.queue.max_queue_size = 8;
  options.workers = 2;
  const auto source = synthetic(200, {24, 24});
  Loader reference(source, options);
  Loader loader(source, options);
  auto stream = loader.stream();
  Log log;
  stream.settle();
  CHECK(loader.snapshot().ready == 8);
  CHECK(loader.snapshot().setting == loader.plan().start);
  CHECK(loader.snapshot().setting_before == loader.plan().start);

  stream.set_queue_size(2);
  for (int i = 0; i < 12; ++i) log.add(*stream.next());
  stream.settle();
  auto now = loader.snapshot();
  CHECK(now.ready == 2);
  CHECK(now.setting.max_queue_size == 2);
  CHECK(now.setting_before.max_queue_size == 8);

  stream.set_workers(1);
  now = loader.snapshot();
  CHECK(now.setting == Setting{2, 1, 0, options.batch});
  CHECK(now.setting_before == Setting{2, 2, 0, options.batch});
  stream.set_queue_size(8);
  stream.settle();
  CHECK(loader.snapshot().ready == 8);
  stream.set_workers(2);
  for (auto& batch : stream) log.add(batch);
  CHECK(log == drain(reference));

  CHECK_THROWS_WITH(stream.set_queue_size(0),
                    Catch::Matchers::EndsWith("n = 0): must be 1 to 8, as planned"));
  CHECK_THROWS_WITH(stream.set_queue_size(9), has_text("larger `queue.max_queue_size`"));
  CHECK_THROWS_WITH(stream.set_workers(3), has_text("Stream::set_workers(n = 3): must be 1 to 2"));
}

TEST_CASE("automatic tuning and the caller do not both set the knobs", "[api][knobs]") {
  auto options = small_options();
  options.tuning.mode = Tuning::automatic;
  Loader loader(synthetic(20, {24, 24}), options);
  auto stream = loader.stream();
  CHECK_THROWS_WITH(stream.set_queue_size(1), has_text("`tuning.mode` = automatic"));
}
