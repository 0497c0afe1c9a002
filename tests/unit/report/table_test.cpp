#include "report/table.hpp"

#include <stdexcept>

#include "support/catch.hpp"

using weir::report::Table;

TEST_CASE("columns align under their headings without trailing blanks", "[table]") {
  Table table("<name|bytes|<");
  table.add({"a", "10", "note"});
  table.add({"longer", "1,000,000", ""});
  CHECK(table.text() ==
        "  name        bytes\n"
        "  a              10  note\n"
        "  longer  1,000,000\n");
}

TEST_CASE("a table without headings has no heading line", "[table]") {
  Table table("<|", 0);
  CHECK(table.empty());
  table.add({"live", "1"});
  CHECK(table.text() == "live  1\n");
}

TEST_CASE("a column that is added takes any heading", "[table]") {
  Table table("<name");
  table.add_column("<a|b");
  table.add({"x", "1"});
  CHECK(table.text() ==
        "  name  <a|b\n"
        "  x        1\n");
}

TEST_CASE("widths count characters, not bytes", "[table]") {
  Table table("<|<", 0);
  table.add({"██", "x"});
  table.add({"ab", "y"});
  CHECK(table.text() == "██  x\nab  y\n");
}

TEST_CASE("a table above 80 columns becomes two that name their rows", "[table]") {
  Table table("queue|<kind", 0);
  for (const auto* heading : {"first", "second", "third"}) table.add_column(heading);
  const std::string wide(30, '1');
  table.add({"4", "live", wide, wide, "7"});
  CHECK(table.text() ==
        "queue  kind                           first                          second\n"
        "    4  live  111111111111111111111111111111  111111111111111111111111111111\n"
        "\n"
        "queue  kind  third\n"
        "    4  live      7\n");
}

TEST_CASE("words in the last column of a table do not make it two", "[table]") {
  Table table("|gain|<change");
  table.add({"1", "x1.50", std::string(30, 'a') + ' ' + std::string(40, 'b')});
  CHECK(weir::report::wrapped(table.text()) ==
        "      gain  change\n"
        "  1  x1.50  " +
            std::string(30, 'a') + "\n            " + std::string(40, 'b') + '\n');
}

TEST_CASE("prose is broken at blanks, below its last column", "[table]") {
  using weir::report::wrapped;
  CHECK(wrapped("a text of words\n\n  and one that is longer\n", 16) ==
        "a text of words\n\n  and one that is longer\n");
  CHECK(wrapped("  a first line of words that goes on\n", 30) ==
        "  a first line of words that\n  goes on\n");
  CHECK(wrapped("  --option N  what it is, in some words and → more\n", 45) ==
        "  --option N  what it is, in some words and →\n              more\n");
  CHECK(wrapped("  weir run photos --consumer-ms 30 --cache decoded\n", 30) ==
        "  weir run photos --consumer-ms 30 --cache decoded\n");
  CHECK(wrapped("Next: weir run photos --consumer-ms 30 --cache decoded\n", 30) ==
        "Next: weir run photos --consumer-ms 30 --cache decoded\n");
  CHECK(wrapped("  dir/a.jpg: truncated (decode): no end of the image\n", 30) ==
        "  dir/a.jpg: truncated (decode): no end of the image\n");
  CHECK(wrapped("the consumer waited 27.0 % of it", 24) == "the consumer waited\n27.0 % of it\n");
  // A word stays whole, and so does a line of numbers.
  CHECK(wrapped(std::string(40, 'a') + " b", 30) == std::string(40, 'a') + "\nb\n");
  CHECK(wrapped("   12.5      13.75     12,000,000\n", 30) ==
        "   12.5      13.75     12,000,000\n");
}

TEST_CASE("a row with too few cells is a mistake of the caller", "[table]") {
  Table table("a|b");
  CHECK_THROWS_AS(table.add({"1"}), std::logic_error);
}
