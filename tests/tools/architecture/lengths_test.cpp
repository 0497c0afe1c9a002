#include <string>

#include "support/catch.hpp"
#include "tools/architecture/fixture_tree.hpp"
#include "tools/architecture/rules.hpp"

using weir::architecture::check_classes;
using weir::architecture::check_lengths;
using weir::architecture::FixtureTree;

TEST_CASE("no source file of weir passes 600 lines") {
  const auto breaches = check_lengths(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a file of 601 lines is caught in any folder, 600 lines pass") {
  for (const std::string folder : {"include/weir", "src/base", "bench", "examples", "tests/unit"}) {
    const FixtureTree tree;
    tree.write(folder + "/long.cpp", std::string(600, '\n'));
    CHECK(check_lengths(tree.root()).empty());

    tree.write(folder + "/long.cpp", std::string(601, '\n'));
    const auto breaches = check_lengths(tree.root());
    REQUIRE(breaches.size() == 1);
    CHECK(breaches.front().file == folder + "/long.cpp");
    CHECK(breaches.front().rule == "601 lines, at most 600");
  }
}

TEST_CASE("a header of a layer has one class") {
  const auto breaches = check_classes(WEIR_SOURCE_DIR);
  for (const auto& breach : breaches) UNSCOPED_INFO(breach);
  CHECK(breaches.empty());
}

TEST_CASE("a second class in a header is caught") {
  const FixtureTree tree;
  const std::string one = "class A;\nclass B {\n  class C {};\n};\nstruct D {};\n";
  tree.write("src/base/b.hpp", one);
  CHECK(check_classes(tree.root()).empty());
  tree.write("src/base/b.hpp",
             one + "class E final\n    : public B {};\nclass F : public B {\n};\n");
  REQUIRE(check_classes(tree.root()).size() == 1);
  CHECK(check_classes(tree.root()).front().rule == "3 classes, a header has one");
}
