#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_clocks;
using weir::architecture::FixtureTree;

TEST_CASE("weir takes no time, wait or limit from an adjustable clock", "[R13]") {
  const auto breaches = check_clocks(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a clock that can be set is caught, in a comment it is not", "[R13]") {
  for (const auto* line :
       {"auto t = std::chrono::system_clock::now();", "clock_gettime(CLOCK_REALTIME, &t);",
        "using C = std::chrono::high_resolution_clock;", "gettimeofday(&t, nullptr);",
        "const auto t = std::time(nullptr);", "seed = time(0);", "localtime_r(&t, &parts);"}) {
    const FixtureTree tree;
    tree.write("src/engine/engine.cpp", std::string("#include <ctime>\n") + line + "\n");
    const auto breaches = check_clocks(tree.root());
    CAPTURE(line);
    REQUIRE(breaches.size() == 1);
    CHECK(breaches.front().line == 2);
  }
  for (const auto* line : {"// not of system_clock", "clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);",
                           "const auto time = run_time(0);", "meter.time(0);",
                           "auto t = std::chrono::steady_clock::now();"}) {
    const FixtureTree tree;
    tree.write("src/engine/engine.cpp", std::string(line) + "\n");
    CAPTURE(line);
    CHECK(check_clocks(tree.root()).empty());
  }
}
