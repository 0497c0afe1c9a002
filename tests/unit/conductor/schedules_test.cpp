#include <cstdint>
#include <string>

#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "unit/conductor/model.hpp"

using namespace weir::test;

namespace {

/// So many cases share the schedules out: they run in parallel.
constexpr std::uint64_t shares = 8;

void run_share(std::uint64_t share, std::uint64_t schedules) {
  for (auto seed = share; seed < schedules; seed += shares) {
    SeededChoices choices(seed);
    Model model(random_scenario(seed), choices);
    const auto broken = model.run();
    if (!broken.empty()) FAIL("seed " << seed << ": " << broken);
  }
  SUCCEED();
}

}  // namespace

#define WEIR_SHARE(n)                                                           \
  TEST_CASE("R14 every law holds at every step of seeded schedules, share " #n, \
            "[conductor][R14][R3]") {                                           \
    run_share(n, thinned(WEIR_SCHEDULES));                                      \
  }
WEIR_SHARE(0)
WEIR_SHARE(1)
WEIR_SHARE(2)
WEIR_SHARE(3)
WEIR_SHARE(4)
WEIR_SHARE(5)
WEIR_SHARE(6)
WEIR_SHARE(7)
#undef WEIR_SHARE

TEST_CASE("R3 at exactly the floor every stream ends, whatever the schedule", "[conductor][R3]") {
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
