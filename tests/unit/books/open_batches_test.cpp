#include "books/open_batches.hpp"

#include "support/catch.hpp"

using weir::books::OpenBatches;
using weir::books::RowKey;

TEST_CASE("the oldest unfinished row only moves forward", "[books]") {
  OpenBatches open(3);
  open.add(OpenBatches::piece(3, 2));
  open.restart();
  CHECK(open.oldest() == RowKey{0, 0});
  open.open(2, 0, 2);
  open.open(0, 1, 2);
  open.finish(2, 1);
  CHECK(open.oldest() == RowKey{0, 0});
  open.finish(0, 0);
  open.finish(2, 0);
  CHECK(open.oldest() == RowKey{1, 1});
  open.close_front();
  CHECK(open.oldest() == RowKey{1, 1});
  CHECK(open.front() == 0);
  open.finish(0, 1);
  CHECK(open.oldest() == RowKey{2, 0});
  open.close_front();
  CHECK(open.empty());
  open.open(1, 2, 1);
  CHECK(open.oldest() == RowKey{2, 0});
}

TEST_CASE("a slab that is used again starts with no row ended", "[books]") {
  OpenBatches open(1);
  open.add(OpenBatches::piece(1, 2));
  open.restart();
  open.open(0, 0, 2);
  open.finish(0, 0);
  open.finish(0, 1);
  open.entry(0).lost = 1;
  open.close_front();
  open.open(0, 1, 2);
  CHECK(open.entry(0).unfinished == 2);
  CHECK(open.entry(0).lost == 0);
  CHECK(open.oldest() == RowKey{1, 0});
}

TEST_CASE("a batch without rows is complete at once", "[books]") {
  OpenBatches open(3);
  open.add(OpenBatches::piece(3, 2));
  open.restart();
  open.open(0, 0, 0);
  CHECK(open.entry(0).unfinished == 0);
  CHECK(open.oldest() == RowKey{1, 0});
  open.open(1, 1, 1);
  CHECK(open.oldest() == RowKey{1, 0});
  open.close_front();
  CHECK(open.front() == 1);
  open.finish(1, 0);
  CHECK(open.oldest() == RowKey{2, 0});
}
