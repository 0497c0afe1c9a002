#include "engine/strand.hpp"

#include <atomic>
#include <optional>
#include <semaphore>

#include "support/catch.hpp"

using weir::engine::Strand;
using namespace std::chrono_literals;

// An awaited event comes at once or never. A minute distinguishes the two on any machine.

TEST_CASE("R14 a wake-up that comes during a step is stepped once more", "[engine][R14]") {
  std::counting_semaphore<> steps(0);
  int count = 0;
  Strand strand;
  strand.start([&](bool) {
    if (++count == 1) strand.wake();
    steps.release();
  });
  strand.wake();
  REQUIRE(steps.try_acquire_for(60s));
  REQUIRE(steps.try_acquire_for(60s));
  strand.stop();
  CHECK(count == 2);
}

TEST_CASE("wake-ups that come while one is queued are one step", "[engine]") {
  std::counting_semaphore<> begun(0), gate(0);
  std::atomic<int> count{0};
  Strand strand;
  strand.start([&](bool) {
    ++count;
    begun.release();
    gate.acquire();
  });
  strand.wake();
  REQUIRE(begun.try_acquire_for(60s));
  for (int i = 0; i < 100; ++i) strand.wake();
  gate.release(3);
  REQUIRE(begun.try_acquire_for(60s));
  strand.stop();
  CHECK(count == 2);
}

TEST_CASE("a step runs on the thread that asks for it", "[engine]") {
  std::optional<bool> own;
  Strand strand;
  strand.start([&](bool is_own) { own = is_own; });
  strand.run_step();
  CHECK(own == false);
  strand.stop();
}

TEST_CASE("R14 a step that is due during a step follows it", "[engine][R14]") {
  std::counting_semaphore<> steps(0), gate(0);
  int count = 0;
  Strand strand;
  strand.start([&](bool) {
    ++count;  // TSan would see two steps at once
    steps.release();
    gate.acquire();
  });
  strand.wake();
  REQUIRE(steps.try_acquire_for(60s));
  strand.run_step();  // returns at once
  gate.release(2);
  REQUIRE(steps.try_acquire_for(60s));
  strand.stop();
  CHECK(count == 2);
}

TEST_CASE("after its end a strand ignores wake-ups", "[engine]") {
  std::atomic<int> count{0};
  Strand strand;
  strand.start([&](bool) { ++count; });
  strand.stop();
  strand.wake();
  CHECK(count == 0);
}
