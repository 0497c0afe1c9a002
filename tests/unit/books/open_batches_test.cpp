#include "books/open_batches.hpp"

#include "support/catch.hpp"

using weir::books::OpenBatches;
using weir::books::RowKey;

TEST_CASE("the oldest unfinished row only moves forward, over finished ones and batches",
          "[books]") {
  OpenBatches open(3);
  open.add(OpenBatches::piece(3, 2));
  open.restart(4);
  CHECK(open.oldest() == RowKey{4, 0});
  open.open(2, 4, 2);
  open.open(0, 5, 2);
  open.finish(2, 1);
  CHECK(open.oldest() == RowKey{4, 0});
  open.finish(0, 0);
  open.finish(2, 0);
  CHECK(open.oldest() == RowKey{5, 1});
  open.close_front();
  CHECK(open.oldest() == RowKey{5, 1});
  CHECK(open.front() == 0);
  open.finish(0, 1);
  CHECK(open.oldest() == RowKey{6, 0});
  open.close_front();
  CHECK(open.empty());
  open.open(1, 6, 1);
  CHECK(open.oldest() == RowKey{6, 0});
}

TEST_CASE("a slab that is used again starts with no row ended", "[books]") {
  OpenBatches open(1);
  open.add(OpenBatches::piece(1, 2));
  open.restart(0);
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
