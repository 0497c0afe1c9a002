#include <string>

#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_lengths;
using weir::architecture::FixtureTree;

TEST_CASE("no source file of weir passes 400 lines, and half have at most 120") {
  const auto breaches = check_lengths(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a file of 400 lines passes and one of 401 is caught, in every folder") {
  for (const std::string folder : {"include/weir", "src/base", "bench", "examples", "tests/unit"}) {
    const FixtureTree tree;
    tree.write(folder + "/long.cpp", std::string(400, '\n'));
    CHECK(check_lengths(tree.root()).empty());

    tree.write(folder + "/long.cpp", std::string(401, '\n'));
    const auto breaches = check_lengths(tree.root());
    REQUIRE(breaches.size() == 1);
    CHECK(breaches.front().file == folder + "/long.cpp");
    CHECK(breaches.front().rule == "401 lines, at most 400");
  }
}

TEST_CASE("a median above 120 lines is caught") {
  const FixtureTree tree;
  for (int i = 0; i < 7; ++i) {
    tree.write("tests/" + std::to_string(i) + ".cpp", std::string(121, '\n'));
  }
  const auto breaches = check_lengths(tree.root());
  REQUIRE(breaches.size() == 1);
  CHECK(breaches.front().rule == "median of 121 lines, at most 120");
}
