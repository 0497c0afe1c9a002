#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "contract/laws/fixture.hpp"
#include "contract/stopping/scenes.hpp"
#include "source/delayed.hpp"
#include "support/attempts.hpp"
#include "support/catch.hpp"
#include "support/cpu_time.hpp"

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
  bool in_time = false;
  Holdings before, after;
};

Stop try_once(const NamedScene& named, How how) {
  Stop stopped;
  stopped.before = holdings();
  {
    auto scene = named.make();
    const auto seconds = stop(scene, how);
    // Most of a decode is left out, whatever the machine needs for a decode.
    stopped.in_time = scene.decode_ms > 0 ? others_cpu_ms() - scene.begun_ms < 0.6 * scene.decode_ms
                                          : seconds <= 0.1;
  }
  // A joined thread leaves /proc a moment later.
  until([&] { return holdings().threads <= stopped.before.threads; }, "threads to be gone");
  stopped.after = holdings();
  return stopped;
}

void check_scene(const NamedScene& named, How how) {
  (void)try_once(named, how);  // for things made once: files, caches of glibc
  // glibc's memory for ended threads varies, but a leak grows each time.
  bool in_time = false, grows = true;
  const bool right = in_one_of(20, [&] {
    const auto stopped = try_once(named, how);
    in_time = in_time || stopped.in_time;
    grows = grows && stopped.after.heap > stopped.before.heap;
    CHECK(stopped.after.threads == stopped.before.threads);
    CHECK(stopped.after.descriptors == stopped.before.descriptors);
    return in_time && !grows;
  });
  CAPTURE(in_time, grows);
  CHECK(right);
}

}  // namespace

TEST_CASE("the destructor leaves each of 16 states cleanly in 100 ms", "[R8]") {
  REQUIRE(scenes().size() == 16);
  for (const auto& named : scenes()) {
    CAPTURE(named.name);
    check_scene(named, How::destructor);
  }
}

TEST_CASE("cancel() leaves each of sixteen states cleanly in 100 ms", "[R8]") {
  for (const auto& named : scenes()) {
    CAPTURE(named.name);
    check_scene(named, How::cancel);
  }
}

TEST_CASE("a stream can be left while automatic tuning evaluates", "[R8][tuning]") {
  const auto evaluating = [] {
    auto options = small_options();
    options.batch = 32;
    options.tuning = {.mode = Tuning::automatic,
                      .most_queue = 512,
                      .most_workers = 64,
                      .most_read_ahead = 512,
                      .interval = std::chrono::milliseconds(10)};
    Scene scene;
    scene.loader =
        std::make_unique<Loader>(source::delayed(synthetic(64, {24, 24}), {0.2, 0, 0}), options);
    scene.stream = std::make_unique<Stream>(scene.loader->stream({.epochs = std::nullopt}));
    // An evaluation begins within the interval once there are enough batches. It takes long,
    // because there are many settings within these bounds. Then nothing else takes CPU time.
    for (int i = 0; i < 30; ++i) (void)scene.stream->next();
    scene.stream->settle();
    return scene;
  };
  const auto moved = [](const Scene& scene) { return !scene.loader->report().moves.empty(); };
  // On a busy machine an evaluation may end without a move.
  const auto in_two_seconds = [](const auto& holds) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (!holds())
      if (std::chrono::steady_clock::now() > give_up) return false;
    return true;
  };
  const bool ends_in_a_move = in_one_of(20, [&] {
    const auto scene = evaluating();
    // However long the evaluation takes: it has ended when nothing takes CPU time any more.
    for (double before = -1, now = 0; !moved(scene) && now > before;) {
      before = others_cpu_ms();
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      now = others_cpu_ms();
    }
    return moved(scene);
  });
  CHECK(ends_in_a_move);
  const bool left_before_its_end = in_one_of(20, [&] {
    auto scene = evaluating();
    const auto begun = others_cpu_ms();
    if (!in_two_seconds([&] { return moved(scene) || others_cpu_ms() > begun + 10; })) return false;
    scene.stream.reset();
    return !moved(scene);
  });
  CHECK(left_before_its_end);
}
