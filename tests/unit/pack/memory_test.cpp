#include "pack/memory.hpp"

#include <atomic>
#include <thread>

#include "support/catch.hpp"
#include "weir/error.hpp"

using namespace weir;
using namespace weir::pack;
using weir::source::Position;

namespace {

constexpr std::uint64_t mib = 1 << 20;

}  // namespace

TEST_CASE("half of a pack's memory is reserved for the oldest sample", "[pack]") {
  Memory memory(64 * mib, 4 * mib, 0);
  CHECK(memory.most_sample_bytes() == 30 * mib);
  CHECK(memory.snapshot()[Account::index] == 4 * mib);
  memory.set_oldest(Position(5));
  auto young = memory.take(Position(7), Account::scratch, 20 * mib, 10 * mib);
  CHECK(young.bytes().size() == 20 * mib);
  CHECK(memory.snapshot()[Account::scratch] == 30 * mib);
  {
    // The others have used their half. The oldest sample does not wait.
    const auto old = memory.take(Position(5), Account::encoded, 30 * mib);
    CHECK(memory.snapshot().live == 64 * mib);
  }
  std::atomic<bool> granted{false};
  std::thread waits([&] {
    const auto other = memory.take(Position(6), Account::scratch, mib);
    granted = true;
  });
  CHECK_FALSE(granted);
  young = {};
  waits.join();
  CHECK(granted);
  CHECK(memory.snapshot().live == 4 * mib);
  CHECK(memory.snapshot().peak == 64 * mib);
}

TEST_CASE("a wait for pack memory ends when the sample is the oldest", "[pack]") {
  Memory memory(20 * mib, 0, 0);
  const auto all = memory.take(Position(3), Account::scratch, 10 * mib);
  std::thread oldest(
      [&] { CHECK(memory.take(Position(1), Account::scratch, mib).bytes().size() == mib); });
  memory.set_oldest(Position(1));
  oldest.join();
  std::thread stopped(
      [&] { CHECK_THROWS_AS(memory.take(Position(2), Account::scratch, mib), Stopped); });
  memory.stop();
  stopped.join();
}

TEST_CASE("a pack's budget is refused if it has no room for a sample", "[pack]") {
  try {
    const Memory memory(8 * mib, mib, 0);
    FAIL("was made");
  } catch (const Error& e) {
    CHECK(e.code() == Errc::budget_too_small);
    CHECK(std::string(e.what()).starts_with(
        "`memory.budget_bytes` = 8388608: must be at least 17825792"));
  }
  CHECK(Memory(64 * mib, 0, 9 * mib).most_sample_bytes() == 9 * mib);
}
