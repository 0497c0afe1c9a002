#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_case_names;
using weir::architecture::check_names;
using weir::architecture::FixtureTree;

TEST_CASE("the code has no retired name, key or label") {
  const auto breaches = check_names(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a retired name is caught in code and labels but not in prose") {
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

TEST_CASE("names of test cases are short sentences of their own") {
  const auto breaches = check_case_names(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a long or dependent name of a test case is caught") {
  const FixtureTree tree;
  const auto declared = [](const std::string& name) {
    return std::string("TEST_") + "CASE(\"" + name + "\", \"[tag]\") {}\n";
  };
  const std::string longest(60, 'x');
  tree.write("tests/some_test.cpp", declared(longest) + declared("android phones decode"));
  CHECK(check_case_names(tree.root()).empty());
  // Adjacent literals are one name.
  for (const auto& name :
       {longest + "y", longest + "\"\n    \"y", std::string("nor does another")}) {
    CAPTURE(name);
    tree.write("tests/some_test.cpp", "\n" + declared(name));
    const auto breaches = check_case_names(tree.root());
    REQUIRE(breaches.size() == 1);
    CHECK(breaches[0].line == 2);
  }
}

TEST_CASE("a name of a test case that a macro makes is caught") {
  const FixtureTree tree;
  const std::string declared = std::string("TEST_") + "CASE(";
  for (const std::string name : {"\"every schedule of \" #rows \" rows\", \"[tag]\"",
                                 "name, \"[tag]\"", "NAME(\"a\")", ""}) {
    CAPTURE(name);
    tree.write("tests/some_test.cpp", "#define SEARCH(rows) " + declared + name + ") {}\n");
    CHECK(check_case_names(tree.root()).size() == 1);
  }
}
