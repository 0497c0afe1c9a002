#include "books/release_prefix.hpp"

#include "support/catch.hpp"

using weir::books::ReleasePrefix;

TEST_CASE("the prefix grows over what was released beyond it", "[books]") {
  ReleasePrefix prefix(3, {}, 4);
  prefix.add(5);
  prefix.add(4);
  CHECK(prefix.next() == 3);
  CHECK(prefix.beyond() == std::vector<std::uint64_t>{4, 5});
  CHECK(prefix.contains(2));
  CHECK_FALSE(prefix.contains(3));
  CHECK(prefix.contains(5));
  prefix.add(3);
  CHECK(prefix.next() == 6);
  CHECK(prefix.beyond().empty());
}

TEST_CASE("a position that was saved in any order is brought into order", "[books]") {
  const ReleasePrefix prefix(2, {7, 1, 3, 2, 7}, 4);
  CHECK(prefix.next() == 4);
  CHECK(prefix.beyond() == std::vector<std::uint64_t>{7});
}
