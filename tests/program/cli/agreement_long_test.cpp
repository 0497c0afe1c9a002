#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "agreement.hpp"
#include "program.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

using namespace weir::test;

TEST_CASE("sweeps and tunes of photographs never contradict themselves", "[photos]") {
  const auto photos = test_data("photos");
  if (!photos) {
    skip("WEIR_TEST_DATA is not set");
    return;
  }
  const int loops = GENERATE(0, 2);
  const auto* const consumer_ms = GENERATE("0", "10", "30");
  CAPTURE(loops, consumer_ms);
  std::vector<std::jthread> others;
  for (int i = 0; i < loops; ++i)
    others.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
      }
    });
  const TemporaryFolder folder;
  const auto file = folder / "report.json";
  for (const auto& [command, check] :
       {std::pair("sweep", &check_sweep), std::pair("tune", &check_tune)}) {
    const auto outcome = weir::test::weir(
        {command, *photos, "--consumer-ms", consumer_ms, "--quiet", "--json", file.string()});
    REQUIRE(outcome.exit_code == 0);
    check(Json::parse(read_file(file)), outcome.out);
  }
}
