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

TEST_CASE("a row with too few cells is a mistake of the caller", "[table]") {
  Table table("a|b");
  CHECK_THROWS_AS(table.add({"1"}), std::logic_error);
}
