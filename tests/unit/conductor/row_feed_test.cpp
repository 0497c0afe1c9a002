#include "conductor/row_feed.hpp"

#include "support/catch.hpp"

using weir::books::no_row;
using weir::conductor::RowFeed;

TEST_CASE("rows go out oldest first, in runs of what is asked at most", "[conductor]") {
  RowFeed feed(4);
  feed.add({0, 5, 0, 4});
  feed.add({1, 6, 0, 2});
  const auto first = feed.take(3, no_row);
  REQUIRE(first);
  CHECK(first->sequence == 5);
  CHECK(first->first == 0);
  CHECK(first->count == 3);
  const auto rest = feed.take(3, no_row);
  REQUIRE(rest);
  CHECK(rest->first == 3);
  CHECK(rest->count == 1);
  CHECK(feed.take(9, no_row)->sequence == 6);
  CHECK_FALSE(feed.take(1, no_row));
}

TEST_CASE("what is put back goes out before younger rows", "[conductor]") {
  RowFeed feed(4);
  feed.add({1, 6, 0, 2});
  feed.add({0, 5, 2, 2});
  CHECK(feed.front() == weir::books::RowKey{5, 2});
  CHECK(feed.take(4, no_row)->sequence == 5);
}

TEST_CASE("nothing younger than the barrier goes out", "[conductor]") {
  RowFeed feed(4);
  feed.add({0, 5, 2, 2});
  CHECK_FALSE(feed.take(1, {5, 2}));
  CHECK_FALSE(feed.take(1, {4, 0}));
  CHECK(feed.take(1, {5, 3}));
}

TEST_CASE("a run of no rows is none, and an empty feed has no front", "[conductor]") {
  RowFeed feed(4);
  CHECK(feed.front_count() == 0);
  CHECK(feed.front() == no_row);
  feed.add({0, 5, 2, 0});
  CHECK(feed.rows() == 0);
  CHECK_FALSE(feed.take(1, no_row));
  feed.add({0, 5, 2, 2});
  CHECK(feed.front_count() == 2);
  CHECK(feed.rows() == 2);
  feed.clear();
  CHECK(feed.rows() == 0);
}
