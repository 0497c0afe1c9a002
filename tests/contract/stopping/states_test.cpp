#include <algorithm>
#include <atomic>
#include <chrono>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/scenes.hpp"
#include "source/delayed.hpp"
#include "support/catch.hpp"
#include "support/median.hpp"

using namespace weir;
using namespace weir::test;

namespace {

using Clock = std::chrono::steady_clock;
enum class How : std::uint8_t { destructor, cancel };

Clock::time_point release(const Scene& scene) {
  const auto now = Clock::now();
  if (scene.gate) scene.gate->open();
  return now;
}

/// Ends the stream. Returns the time it took after all uninterruptible work had ended.
double stop(Scene& scene, How how) {
  auto begun = Clock::now();
  if (how == How::cancel) {
    scene.stream->cancel();
    begun = release(scene);
    scene.stream->settle();
  } else if (!scene.gate) {
    scene.stream.reset();
    scene.loader.reset();
  } else {
    std::atomic<pid_t> thread{0};
    std::thread destroyer([&] {
      thread = this_thread();
      scene.stream.reset();
      scene.loader.reset();
    });
    // Only when the destructor waits for it.
    until([&] { return thread != 0 && asleep(thread); }, "the destructor to wait");
    begun = release(scene);
    destroyer.join();
  }
  if (scene.consumer.joinable()) scene.consumer.join();
  const std::chrono::duration<double> took = Clock::now() - begun;
  scene.stream.reset();
  scene.loader.reset();
  scene.held.clear();
  return took.count();
}

struct Stop {
  double seconds = 0;
  Holdings before, after;
  bool back() const {
    return after.threads == before.threads && after.descriptors == before.descriptors &&
           after.heap <= before.heap;
  }
};

Stop try_once(const NamedScene& named, How how) {
  Stop stopped;
  stopped.before = holdings();
  {
    auto scene = named.make();
    stopped.seconds = stop(scene, how);
  }
  // A joined thread leaves /proc a moment later.
  until([&] { return holdings().threads <= stopped.before.threads; }, "threads to be gone");
  stopped.after = holdings();
  return stopped;
}

void check_scene(const NamedScene& named, How how) {
  constexpr int attempts = 5;
  (void)try_once(named, how);  // for things made once: files, caches of glibc
  // A busy machine can delay any thread for longer than the limit, so the median decides. glibc's
  // memory for ended threads varies, but a leak grows each time.
  MedianWithin in_100_ms(0.1, attempts);
  std::int64_t least_growth = INT64_MAX;
  for (int i = 0; i < attempts && (!in_100_ms.decided() || least_growth > 0); ++i) {
    const auto stopped = try_once(named, how);
    if (!in_100_ms.decided()) in_100_ms.add(stopped.seconds);
    least_growth = std::min(least_growth, stopped.after.heap - stopped.before.heap);
    CHECK(stopped.after.threads == stopped.before.threads);
    CHECK(stopped.after.descriptors == stopped.before.descriptors);
  }
  CHECK(least_growth <= 0);
  if (!sanitized) CHECK(in_100_ms.holds());
}

}  // namespace

TEST_CASE("sixteen states can be left by the destructor, in 100 ms, with nothing left behind",
          "[R8]") {
  REQUIRE(scenes().size() == 16);
  for (const auto& named : scenes()) {
    CAPTURE(named.name);
    check_scene(named, How::destructor);
  }
}

TEST_CASE("sixteen states can be left by cancel(), in 100 ms, with nothing left behind", "[R8]") {
  for (const auto& named : scenes()) {
    CAPTURE(named.name);
    check_scene(named, How::cancel);
  }
}

TEST_CASE("a stream whose automatic tuning evaluates is left in 100 ms", "[R8][tuning]") {
  MedianWithin in_100_ms(0.1, 5);
  while (!in_100_ms.decided()) {
    auto options = small_options();
    options.batch = 32;
    options.tuning = {.mode = Tuning::automatic,
                      .most_queue = 512,
                      .most_workers = 64,
                      .most_read_ahead = 512,
                      .interval = std::chrono::milliseconds(10)};
    Scene scene;
    scene.loader =
        std::make_unique<Loader>(source::delayed(synthetic(64, {24, 24, 3}), {0.2, 0, 0}), options);
    scene.stream = std::make_unique<Stream>(scene.loader->stream({.epochs = std::nullopt}));
    // An evaluation begins within the interval once there are enough batches. It takes long,
    // because there are many settings within these bounds.
    for (int i = 0; i < 30; ++i) (void)scene.stream->next();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    in_100_ms.add(stop(scene, How::destructor));
  }
  if (!sanitized) CHECK(in_100_ms.holds());
}
