#include "proof/shadow/run.hpp"
#include "support/catch.hpp"

using namespace weir::test::shadow;

TEST_CASE("the heap holds at most what the books show over 10^6 events", "[shadow][R4]") {
  run({.events = 1});
  std::uint64_t events = 0;
  for (const auto data : {Data::plain, Data::folder, Data::mixed}) {
    for (const std::uint32_t read_ahead : {0u, 1u, 16u}) {
      for (const std::uint64_t spare : {0u, 40'000u}) {
        const Load load{data, read_ahead == 1 ? 8u : 3u, read_ahead, 6, spare, 56'000};
        const auto ran = run(load);
        check(load, ran);
        events += ran.verdict.events;
      }
    }
  }
  CHECK(events >= 1'000'000);
}
