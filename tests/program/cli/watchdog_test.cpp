#include "program.hpp"
#include "support/catch.hpp"
#include "support/text.hpp"

using namespace weir::test;

TEST_CASE("a watchdog tells stderr and report what a stall waits for", "[watchdog]") {
  const auto outcome = weir::test::weir({"run", "synthetic:2,24x24", "--size", "16x16", "--batch",
                                         "1", "--workers", "1", "--read-delay-ms", "400",
                                         "--watchdog", "0.05", "--json", "-", "--quiet"});
  CHECK(outcome.exit_code == 0);
  CHECK(contains(outcome.err, "weir: stalled for "));
  CHECK(contains(outcome.err, "the source, which reads "));
  const auto json = outcome.json();
  REQUIRE_FALSE(json.is_discarded());
  REQUIRE(json["stalls"].size() >= 1);
  CHECK(contains(json["stalls"][0].get<std::string>(), "stalled for "));

  const auto calm = weir::test::weir({"run", "synthetic:8,24x24", "--watchdog", "60", "--quiet"});
  CHECK(calm.exit_code == 0);
  CHECK_FALSE(contains(calm.err, "stalled"));
  CHECK(weir::test::weir({"run", "synthetic:8,24x24", "--watchdog", "-1"}).exit_code == 2);
}

TEST_CASE("a terminal's line of progress gives way to a watchdog's", "[watchdog]") {
  const auto* const on_terminal =
      "WEIR=$0 exec script -qec 'exec \"$WEIR\" run synthetic:1,24x24 --read-delay-ms 1500 "
      "--watchdog 0.1' /dev/null </dev/null";
  const auto shown = run_program({"/bin/sh", "-c", on_terminal, WEIR_PROGRAM});
  CHECK(contains(shown.out, "\rweir: stalled for "));
}
