#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_names;
using weir::architecture::FixtureTree;

TEST_CASE("no retired name is in the code, nor a retired key or label") {
  const auto breaches = check_names(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a retired name is caught in code and as a label, in prose it is not") {
  for (const auto* line : {"struct StageClock {};", "double starved_s = 0;", "out[\"asked\"] = 1;",
                           "const auto place = 3;"}) {
    const FixtureTree tree;
    tree.write("src/engine/engine.cpp", line);
    CAPTURE(line);
    CHECK(check_names(tree.root()).size() == 1);
  }
  for (const auto* line : {"int x;  // asked for a place", "say(\"the batch you asked for\");",
                           "struct StageStats {};", "in_place = true;"}) {
    const FixtureTree tree;
    tree.write("src/engine/engine.cpp", line);
    CAPTURE(line);
    CHECK(check_names(tree.root()).empty());
  }
}
