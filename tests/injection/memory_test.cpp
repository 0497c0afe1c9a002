#include "injection/scenarios.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir::test;

namespace {

constexpr bool good(const Outcome& outcome) {
  using End = Outcome::End;
  return outcome.end == End::done || outcome.end == End::memory || outcome.end == End::error;
}

void fail_allocations(const Scenario& scenario, std::uint64_t most) {
  scenario.run();  // what is kept for good is kept now
  for (const std::uint64_t step : {0u, 1u}) {
    const auto wrong =
        sweep(scenario, {.call = Call::allocate, .step = step, .error = ENOMEM}, most, good);
    for (const auto& line : wrong) UNSCOPED_INFO(line);
    CHECK(wrong.empty());
  }
}

}  // namespace

TEST_CASE("no allocation that fails does more than fail", "[R1]") {
  const auto most = WEIR_TEST_LONG ? UINT64_MAX : sanitized ? 5 : 40;
  const auto& work = GENERATE(from_range(scenarios()));
  CAPTURE(work.name);
  fail_allocations(work, most);
}
