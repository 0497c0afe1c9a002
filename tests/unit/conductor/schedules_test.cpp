#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/conductor/model.hpp"

using namespace weir::test;

namespace {

/// The number of test cases that share the schedules and run in parallel.
constexpr std::uint64_t shares = 8;

void run_share(std::uint64_t share) {
  for (auto seed = share; seed < thinned(WEIR_SCHEDULES); seed += shares) {
    SeededChoices choices(seed);
    Model model(random_scenario(seed), choices);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("R14 every law holds at each step of any schedule, share 0", "[conductor][R14][R3]") {
  run_share(0);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 1", "[conductor][R14][R3]") {
  run_share(1);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 2", "[conductor][R14][R3]") {
  run_share(2);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 3", "[conductor][R14][R3]") {
  run_share(3);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 4", "[conductor][R14][R3]") {
  run_share(4);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 5", "[conductor][R14][R3]") {
  run_share(5);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 6", "[conductor][R14][R3]") {
  run_share(6);
}
TEST_CASE("R14 every law holds at each step of any schedule, share 7", "[conductor][R14][R3]") {
  run_share(7);
}

TEST_CASE("R14 every law holds if each batch has its own slab size", "[conductor][R14][R3]") {
  std::uint64_t bounded = 0;
  for (std::uint64_t seed = 0; seed < thinned(WEIR_SCHEDULES) / 4; ++seed) {
    auto scenario = random_scenario(seed);
    scenario.sizes_differ = true;
    if (seed % 2 == 0) scenario.spare_bytes = 0;  // the floor, for the largest batch
    if (seed % 3 == 0) scenario.max_queue_bytes = 1 + seed % (2 * scenario.slab_bytes);
    if (scenario.max_queue_bytes < 2 * scenario.slab_bytes) ++bounded;
    SeededChoices choices(seed);
    Model model(scenario, choices);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
  }
  CHECK(bounded > 10);
}

TEST_CASE("R14 every law holds if a cache gives up blocks not in use", "[conductor][R14][R3]") {
  std::uint64_t gave = 0, beside_others = 0;
  for (std::uint64_t seed = 0; seed < thinned(WEIR_SCHEDULES) / 4; ++seed) {
    auto scenario = random_scenario(seed);
    if (scenario.cache_moves == 0) scenario.cache_moves = 1 + static_cast<std::uint32_t>(seed % 30);
    if (seed % 2 == 0) scenario.spare_bytes %= 50;
    SeededChoices choices(seed);
    Model model(scenario, choices);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
    gave += model.gave();
    beside_others += scenario.neighbour_moves > 0 ? model.gave() : 0;
  }
  CHECK(gave > thinned(WEIR_SCHEDULES) / 40);
  CHECK(beside_others > 0);
}

TEST_CASE("R3 every stream ends at exactly the floor in any schedule", "[conductor][R3]") {
  for (std::uint64_t seed = 0; seed < thinned(WEIR_SCHEDULES) / 10; ++seed) {
    auto scenario = random_scenario(seed);
    scenario.spare_bytes = 0;
    scenario.workers = 4;
    SeededChoices choices(seed);
    Model model(scenario, choices);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
  }
  SUCCEED();
}
