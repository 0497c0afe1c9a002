#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "unit/conductor/model.hpp"

using namespace weir::test;

TEST_CASE("every law holds at every step of seeded schedules", "[conductor]") {
  for (std::uint64_t seed = 0; seed < WEIR_SCHEDULES; ++seed) {
    Model model(random_scenario(seed), seed);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
  }
  SUCCEED();
}

TEST_CASE("at exactly the floor every stream ends, whatever the schedule", "[conductor]") {
  for (std::uint64_t seed = 0; seed < WEIR_SCHEDULES / 10; ++seed) {
    auto scenario = random_scenario(seed);
    scenario.spare_bytes = 0;
    scenario.workers = 4;
    Model model(scenario, seed);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
  }
  SUCCEED();
}
