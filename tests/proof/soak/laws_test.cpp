#include "support/rig/laws.hpp"

#include <string>

#include "support/catch.hpp"

using namespace weir::test;

TEST_CASE("a law book counts checks and breaches and keeps the first", "[laws]") {
  LawBook book;
  CHECK(book.check(Law::sum, true, "breach {}", 0));
  CHECK_FALSE(book.check(Law::sum, false, "breach {}", 1));
  CHECK_FALSE(book.check(Law::sum, false, "breach {}", 2));
  CHECK(book.check(Law::queue, true, "breach {}", 3));
  const auto figures = book.figures();
  const auto& sum = figures[static_cast<std::size_t>(Law::sum)];
  CHECK(sum.checks == 3);
  CHECK(sum.breaches == 2);
  CHECK(sum.first_breach == "breach 1");
  CHECK(figures[static_cast<std::size_t>(Law::queue)].breaches == 0);
  CHECK(book.breaches() == 2);
}

TEST_CASE("every law has its name", "[laws]") {
  CHECK(to_string(Law::sum) == "sum");
  CHECK(to_string(Law::attempted) == "attempted");
}
