// Slabs of batches with images at their own sizes.
#include <algorithm>
#include <memory>
#include <numeric>

#include "buffer/slab_pool.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;
using buffer::ColumnId, buffer::ImageColumnId, buffer::SlabLayout, buffer::SlabPool;

namespace {

std::shared_ptr<books::Book> book_of(std::uint64_t budget, std::uint32_t slabs) {
  auto book =
      std::make_shared<books::Book>(std::make_shared<books::Ledger>(budget),
                                    books::ShareLimits{0, 0, 100'000, UINT64_MAX, slabs, 4});
  book->begin_stream(nullptr);
  return book;
}

void use(const std::shared_ptr<books::Book>& book, buffer::Slab& slab, std::uint64_t sequence) {
  book->open_batch(slab.id, sequence, 1);
}

}  // namespace

TEST_CASE("a slab has sizes, extents and offsets if sizes differ", "[buffer][sizes]") {
  const auto padded = SlabLayout::padded({.annotation_bytes = 30}, {5, 7}, 3, 64);
  const auto plain = SlabLayout::fixed({.annotation_bytes = 30}, {5, 7}, 3, 64);
  CHECK(padded.of_image(0, ImageColumnId::pixels).bytes == 315);
  CHECK(padded.of_image(0, ImageColumnId::offsets).offset == 320);
  CHECK(padded[ColumnId::statuses].offset == plain[ColumnId::statuses].offset + 64);
  CHECK(padded[ColumnId::sizes].offset == plain.bytes + 64);
  CHECK(padded[ColumnId::extents].offset == plain.bytes + 128);
  CHECK(padded.bytes == plain.bytes + 192);
  const auto ragged = SlabLayout::ragged({}, {{1000}}, 3, 64);
  CHECK(ragged.of_image(0, ImageColumnId::offsets).offset == 1024);
  CHECK(ragged.mode == Sizes::ragged);
  CHECK(SlabLayout::ragged({}, {{UINT64_MAX}}, 3, 64).bytes == UINT64_MAX);
  CHECK(SlabLayout::padded({}, {65'500, 65'500}, 1u << 31, 64).bytes == UINT64_MAX);
}

TEST_CASE("rows of a slab lie where its layout says, padded and ragged", "[buffer][sizes]") {
  auto book = book_of(UINT64_MAX, 2);
  SlabPool pool(book, SlabLayout::ragged({}, {{0}}, 0, 64), nullptr);
  buffer::BatchLayout batch;
  batch.indices = {7, 3, 5};
  batch.extents = {{2, 4}, {5, 1}, {3, 3}};
  batch.layout = SlabLayout::ragged({.annotation_bytes = 10}, {{66}}, 3, 64);
  auto* const slab = pool.make(batch.layout.bytes);
  REQUIRE(slab);
  slab->rows = 3;
  pool.lay_out(*slab, batch);
  CHECK(slab->indices()[1] == 3);
  CHECK(slab->sizes()[2] == ImageSize{3, 3});
  const auto* const start = slab->pixels(0, 1).data();
  CHECK(slab->pixels(0, 3).size() == 66);
  CHECK(slab->pixels(1, 1).data() == start + 24);
  CHECK(slab->pixels(1, 1).size() == 15);
  CHECK(slab->pixels(2, 1).size() == 27);
  CHECK(slab->image(1).shape == ImageSize{5, 1});
  CHECK(slab->image(1).row_stride == 3);
  CHECK(slab->annotations(2, 1).size() == 10);

  batch.layout = SlabLayout::padded({}, {5, 4}, 3, 64);
  pool.free_idle();
  auto* const block = pool.make(batch.layout.bytes);
  REQUIRE(block);
  block->rows = 3;
  pool.lay_out(*block, batch);
  CHECK(block->pixels(0, 3).size() == 180);
  CHECK(block->image(2).data == block->pixels(0, 1).data() + 120);
  CHECK(block->image(2).shape == ImageSize{3, 3});
  CHECK(block->image(2).row_stride == 12);
}

TEST_CASE("a slab is reused if it suits a batch, otherwise replaced", "[buffer][sizes]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(2000, 3);
  SlabPool pool(book, SlabLayout::ragged({}, {{0}}, 0, 64), upstream);
  auto* const first = pool.make(1000);
  REQUIRE(first);
  CHECK(first->bytes() == 1000);
  CHECK(book->snapshot().memory[Account::idle] == 1000);
  CHECK(book->fitting_slab(900, UINT64_MAX) == first->id);
  CHECK_FALSE(book->fitting_slab(900, 999));
  CHECK_FALSE(book->fitting_slab(800, UINT64_MAX));
  CHECK_FALSE(book->fitting_slab(1001, UINT64_MAX));
  // 1000 and 1900 would not fit together, so the idle slab is freed first.
  auto* const second = pool.make(1900);
  REQUIRE(second);
  CHECK(upstream->peak() == 1900);
  CHECK(book->snapshot().memory.peak == 1900);
  use(book, *second, 0);
  CHECK_FALSE(book->fitting_slab(1900, UINT64_MAX));  // it is in use
  CHECK_FALSE(pool.make(101));
  CHECK(upstream->outstanding() == 1900);
  auto* const third = pool.make(100);
  REQUIRE(third);
  CHECK(book->snapshot().memory[Account::filling] == 1900);
  CHECK(book->snapshot().memory[Account::idle] == 100);
  (void)book->finish_rows({.slab = second->id, .first = 0});
  book->publish_front();
  REQUIRE(book->lease(second->id));
  CHECK(book->ledger()->leases().front().bytes == 1900);
  pool.release(*second, books::Parting::consumed);
  CHECK(book->snapshot().memory[Account::idle] == 2000);
  pool.free_idle();
  CHECK(upstream->outstanding() == 0);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("no slab more than the book may have, whatever they hold", "[buffer][sizes]") {
  auto book = book_of(UINT64_MAX, 1);
  SlabPool pool(book, SlabLayout::ragged({}, {{0}}, 0, 64), nullptr);
  auto* const only = pool.make(1000);
  REQUIRE(only);
  use(book, *only, 0);
  CHECK_FALSE(pool.make(1));
  book->cancel();
  book->drop_front();
  CHECK(pool.make(1) == only);
}

TEST_CASE("a leased slab of its own size outlives its pool's loader", "[buffer][sizes]") {
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(UINT64_MAX, 2);
  SlabPool pool(book, SlabLayout::padded({}, {}, 0, 64), upstream);
  auto* const kept = pool.make(700);
  REQUIRE(kept);
  use(book, *kept, 0);
  REQUIRE(pool.make(5000));
  (void)book->finish_rows({.slab = kept->id, .first = 0});
  book->publish_front();
  REQUIRE(book->lease(kept->id));
  pool.retire();
  CHECK(upstream->outstanding() == 700);
  pool.release(*kept, books::Parting::consumed);
  CHECK(upstream->outstanding() == 0);
  CHECK(book->snapshot().memory.live == 0);
}
