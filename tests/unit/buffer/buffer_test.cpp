#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include "buffer/block.hpp"
#include "buffer/slab_pool.hpp"
#include "buffer/transform_arena.hpp"
#include "contract/laws/fixture.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::test;

namespace {

class Refusing final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t, std::size_t) override { throw std::bad_alloc(); }
  void do_deallocate(void*, std::size_t, std::size_t) override {}
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
    return this == &other;
  }
};

std::shared_ptr<books::Book> book_of(std::uint64_t budget, const buffer::SlabLayout& layout,
                                     std::uint32_t slabs) {
  return std::make_shared<books::Book>(
      std::make_shared<books::Ledger>(budget),
      books::ShareLimits{0, 0, layout.bytes, UINT64_MAX, slabs, layout.batch});
}

/// Leases an idle slab, as a batch of one row.
buffer::Slab& lease_of(buffer::SlabPool& pool, std::uint64_t sequence) {
  auto& book = pool.book();
  const auto id = book.idle_slab().value();
  book.open_batch(id, sequence, 1);
  (void)book.finish_rows({.slab = id, .first = 0});
  book.publish_front();
  REQUIRE(book.lease(id));
  return pool.slab(id);
}

}  // namespace

TEST_CASE("the parts of a slab lie apart, each aligned", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {5, 7}, 3, 64);
  CHECK(layout[buffer::ColumnId::labels].offset == 320);  // 3 * 105 = 315
  CHECK(layout[buffer::ColumnId::indices].offset == 384);
  CHECK(layout[buffer::ColumnId::statuses].offset == 448);
  CHECK(layout[buffer::ColumnId::windows].bytes == 3 * sizeof(Window));
  CHECK(layout.bytes == 768);
  CHECK(buffer::SlabLayout::fixed({}, {224, 224}, 64, 64).bytes ==
        64ull * 224 * 224 * 3 + 512 + 512 + 64 + 64 * sizeof(Window));
  CHECK(buffer::SlabLayout::fixed({}, {65'500, 65'500}, 1u << 31, 64).bytes == UINT64_MAX);
}

TEST_CASE("the columns of a slab follow one another without overlap", "[buffer]") {
  using buffer::ColumnId, buffer::ImageColumnId, buffer::SlabLayout;
  const buffer::RowForm images{.annotation_bytes = 30},
      samples{.images = {{.pixels = PixelFormat::stored8}}, .encoded = true};
  auto masks = images;
  masks.images.push_back({.pixels = PixelFormat::stored8, .scale = {1, 2}});
  masks.images.push_back({.pixels = PixelFormat::grey16, .scale = {2, 1}});
  buffer::ImageSums sums;
  for (const auto size : {ImageSize{5, 7}, ImageSize{3, 1}, ImageSize{2, 8}}) sums.add(masks, size);
  CHECK(sums.bytes[0] == 3 * (35 + 3 + 16));
  CHECK(sums.bytes[1] == 3 * 4 + 2 * 1 + 1 * 4);
  CHECK(sums.bytes[2] == 2 * 4 * (35 + 3 + 16));
  CHECK(sums.largest == ImageSize{5, 8});
  CHECK(SlabLayout::of(masks, Sizes::padded, sums, 4, 3, 64).shape == ImageSize{8, 8});
  for (const auto& layout :
       {SlabLayout::fixed(images, {5, 7}, 3, 64), SlabLayout::padded(images, {5, 7}, 3, 16),
        SlabLayout::ragged(images, {{1001}}, 3, 128), SlabLayout::ragged(samples, {{1001}}, 3, 64),
        SlabLayout::fixed(masks, {5, 7}, 3, 64), SlabLayout::padded(masks, {5, 7}, 3, 16),
        SlabLayout::of(masks, Sizes::ragged, sums, 1, 3, 128)}) {
    std::uint64_t end = 0;
    for (const auto& column : layout.columns()) {
      CHECK(column.offset == end);
      CHECK(column.offset % layout.alignment == 0);
      end += round_up(column.bytes, layout.alignment);
    }
    CHECK(layout.bytes == end);
    CHECK((layout[ColumnId::sizes].bytes > 0) == layout.sizes_differ());
    CHECK((layout[ColumnId::headers].bytes > 0) == layout.form.encoded);
    for (std::size_t i = 0; i < layout.form.images.size(); ++i) {
      const auto bytes = [&](ImageColumnId id) { return layout.of_image(i, id).bytes; };
      const std::uint64_t row = i == 0 ? 5 * 7 * 3 : i == 1 ? 3 * 4 : 10 * 14 * 2;
      if (layout.mode != Sizes::ragged) CHECK(bytes(ImageColumnId::pixels) == 3 * row);
      if (layout.form.images.size() == 3 && layout.mode == Sizes::ragged)
        CHECK(bytes(ImageColumnId::pixels) == sums.bytes[i]);
      CHECK(bytes(ImageColumnId::offsets) == (layout.sizes_differ() ? 24 : 0));
      CHECK(bytes(ImageColumnId::statuses) == (i > 0 ? 3 * sizeof(PlaneStatus) : 0));
    }
  }
}

TEST_CASE("the form of a row gives the bytes of a row of any size", "[buffer]") {
  const buffer::RowForm images{.annotation_bytes = 30},
      grey{.images = {{.pixels = PixelFormat::grey8}}},
      samples{.images = {{.pixels = PixelFormat::stored8}}, .encoded = true, .annotation_bytes = 5};
  CHECK(images.images[0].bytes_in({5, 7}) == 105);
  CHECK(images.row_bytes({5, 7}) == 135);
  CHECK(grey.row_bytes({5, 7}) == 35);
  CHECK(samples.row_bytes({1, 1000}) == 1005);
  CHECK(images.row_bytes({UINT32_MAX, UINT32_MAX}) == UINT64_MAX);
}

TEST_CASE("annotations lie behind the pixels, a room behind the other", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({.annotation_bytes = 30}, {5, 7}, 3, 64);
  CHECK(layout[buffer::ColumnId::annotations].offset == 320);
  CHECK(layout[buffer::ColumnId::lengths].offset == 448);  // 3 * 30 = 90
  CHECK(layout[buffer::ColumnId::labels].offset == 512);
  CHECK(layout.bytes == 960);
  CHECK(buffer::SlabLayout::fixed({.annotation_bytes = UINT64_MAX / 2}, {5, 7}, 3, 64).bytes ==
        UINT64_MAX);
  auto book = book_of(layout.bytes, layout, 1);
  buffer::SlabPool pool(book, layout, nullptr);
  auto* const slab = pool.make(pool.layout().bytes);
  REQUIRE(slab);
  const auto* const start = reinterpret_cast<const std::byte*>(slab->pixels(0, 1).data());
  CHECK(slab->annotations(0, 3).size() == 90);
  CHECK(slab->annotations(2, 1).data() == start + 320 + 60);
  // All images have one size.
  CHECK(slab->sizes().empty());
  CHECK(slab->extents().empty());
  CHECK(slab->offsets().empty());
}

TEST_CASE("a transform's arena names both figures if it is exceeded", "[buffer]") {
  alignas(64) std::array<std::byte, 1000> memory{};
  buffer::TransformArena arena(memory);
  {
    std::pmr::vector<std::byte> all(1000, &arena);  // to the last byte
    CHECK_THROWS_WITH(arena.allocate(1, 1),
                      "the transform asked for 1 bytes of scratch with 1000 in use, "
                      "`transform.scratch_bytes` is 1000");
  }
  // The last freed block can be allocated again, so a vector may grow.
  std::pmr::vector<std::byte> again(900, &arena);
  CHECK(again.data() == memory.data());
  auto* const aligned = arena.allocate(32, 64);
  CHECK(reinterpret_cast<std::uintptr_t>(aligned) % 64 == 0);
  CHECK_THROWS_AS(arena.allocate(64, 8), std::bad_alloc);
  buffer::TransformArena none({});
  CHECK_THROWS_AS(none.allocate(1, 1), buffer::ScratchExceeded);
  CHECK(arena.is_equal(arena));
  CHECK_FALSE(arena.is_equal(none));
}

TEST_CASE("slabs are made one by one, charged first, and kept", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(2 * layout.bytes, layout, 3);
  buffer::SlabPool pool(book, layout, upstream);
  CHECK(upstream->allocations() == 0);
  auto* const first = pool.make(pool.layout().bytes);
  REQUIRE(first);
  first->rows = 2;
  CHECK(reinterpret_cast<std::uintptr_t>(first->pixels(0, 1).data()) % 64 == 0);
  CHECK(first->labels().size() == 2);
  CHECK(pool.make(pool.layout().bytes));
  CHECK_FALSE(pool.make(pool.layout().bytes));
  CHECK(upstream->outstanding() == 2 * layout.bytes);
  CHECK(book->snapshot().memory[Account::idle] == upstream->outstanding());
}

TEST_CASE("an upstream that throws leaves nothing charged", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto book = book_of(UINT64_MAX, layout, 1);
  buffer::SlabPool pool(book, layout, std::make_shared<Refusing>());
  CHECK_THROWS_AS(pool.make(pool.layout().bytes), std::bad_alloc);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("a block grows to what is asked, keeps it, and gives it back", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto book = book_of(100, layout, 1);
  {
    buffer::Block block(*book, Account::scratch);
    CHECK(block.ensure(40, 0, {5, 0}, nullptr));
    CHECK(block.ensure(10, 0, {5, 0}, nullptr));
    CHECK(block.charged() == 40);
    // The old bytes are freed first: 40 and 90 would not fit together.
    CHECK(block.ensure(90, 0, {5, 0}, nullptr));
    CHECK(book->snapshot().memory[Account::scratch] == 90);
    CHECK(book->snapshot().memory.peak == 90);
    CHECK_FALSE(block.ensure(101, 0, {5, 0}, nullptr));
    CHECK(block.charged() == 0);
    // The additional bytes are on the books but not in the block.
    CHECK(block.ensure(10, 60, {5, 0}, nullptr));
    CHECK(book->snapshot().memory.live == 70);
    CHECK(block.ensure(10, 50, {5, 0}, nullptr));
    CHECK(book->snapshot().memory.live == 70);
    CHECK(block.ensure(11, 50, {5, 0}, nullptr));
    CHECK(book->snapshot().memory.live == 61);
    CHECK(block.ensure(5, 60, {5, 0}, nullptr));  // the block has room, the additional bytes remain
    CHECK(book->snapshot().memory.live == 65);
    block.trim();
    CHECK(block.ensure(7, 0, {5, 0}, nullptr));
    buffer::Block other(std::move(block));
    CHECK(other.charged() == 7);
    CHECK(book->snapshot().memory.live == 7);
  }
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("a block that the allocator refuses leaves nothing charged", "[buffer][R1]") {
  // A sanitizer's operator new ends the process instead.
  if (sanitized) return;
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto book = book_of(UINT64_MAX, layout, 1);
  buffer::Block block(*book, Account::scratch);
  CHECK_THROWS_AS(block.ensure(1ull << 62, 0, {0, 0}, nullptr), std::bad_alloc);
  CHECK(block.charged() == 0);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("a block replaces its bytes with what its waiter was granted", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto book = book_of(100, layout, 1);
  book->begin_stream(nullptr);
  buffer::Block block(*book, Account::scratch), other(*book, Account::scratch);
  REQUIRE(block.ensure(20, 0, {0, 1}, nullptr));
  REQUIRE(other.ensure(75, 0, {0, 1}, nullptr));
  books::Waiter waiter;
  CHECK_FALSE(block.ensure(50, 10, {0, 2}, &waiter));
  CHECK(block.charged() == 0);
  book->park(waiter);
  CHECK(book->grant_oldest() == nullptr);
  REQUIRE(block.ensure(5, 0, {0, 1}, nullptr));
  other.trim();
  REQUIRE(book->grant_oldest() == &waiter);
  CHECK(book->snapshot().memory.live == 65);
  block.adopt(std::exchange(waiter.granted, {}), 10);
  CHECK(block.charged() == 60);
  CHECK(block.first(50).size() == 50);
  CHECK(book->snapshot().memory.live == 60);
  // Additional bytes only: nothing is allocated, but they are on the books.
  const auto beside = book->admit({{0, 0}, Account::scratch, 30}, nullptr);
  REQUIRE(beside);
  other.adopt(*beside, 30);
  CHECK(other.charged() == 30);
  const buffer::Block moved(std::move(block));
  CHECK(moved.charged() == 60);
}

TEST_CASE("a pool frees surplus idle slabs and keeps those in use", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(UINT64_MAX, layout, 3);
  book->begin_stream(nullptr);
  buffer::SlabPool pool(book, layout, upstream);
  for (int i = 0; i < 3; ++i) REQUIRE(pool.make(pool.layout().bytes));
  CHECK_FALSE(pool.make(pool.layout().bytes));  // the maximum number of slabs
  const auto used = *book->idle_slab();
  book->open_batch(used, 0, 1);
  pool.shrink(3);
  CHECK(upstream->outstanding() == 3 * layout.bytes);
  pool.shrink(2);
  CHECK(upstream->outstanding() == 2 * layout.bytes);
  pool.shrink(0);
  CHECK(upstream->outstanding() == layout.bytes);
  CHECK(book->state(used) == books::SlabState::filling);
  REQUIRE(pool.make(pool.layout().bytes));  // uses a free index
  book->drop_front();
}

TEST_CASE("a lease that outlives its loader takes its slab, under watch", "[buffer]") {
  struct Watch final : buffer::LeaseWatch {
    void released(const buffer::Slab& slab) noexcept override { last = slab.id; }
    books::SlabId last = UINT32_MAX;
  } watch;
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = book_of(UINT64_MAX, layout, 2);
  book->begin_stream(nullptr);
  buffer::SlabPool pool(book, layout, upstream);
  REQUIRE(pool.make(pool.layout().bytes));
  REQUIRE(pool.make(pool.layout().bytes));
  auto& first = lease_of(pool, 0);
  auto& second = lease_of(pool, 1);
  pool.watch(&watch);
  pool.release(first, books::Parting::consumed);
  CHECK(watch.last == first.id);
  CHECK(upstream->outstanding() == 2 * layout.bytes);
  pool.watch(nullptr);
  pool.retire();
  CHECK(upstream->outstanding() == layout.bytes);
  pool.release(second, books::Parting::consumed);
  CHECK(watch.last == first.id);
  CHECK(upstream->outstanding() == 0);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("a thread can end a lease while the upstream frees a slab", "[buffer]") {
  /// Frees the first slab when the second is free, as an upstream with a lock of its own may.
  class Waiting final : public std::pmr::memory_resource {
   public:
    std::function<void()> end_other;
    bool ended = false;
    std::thread thread;

   private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override {
      return std::pmr::new_delete_resource()->allocate(bytes, alignment);
    }
    void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override {
      if (const auto end = std::exchange(end_other, nullptr)) {
        std::packaged_task<void()> task(end);
        auto done = task.get_future();
        thread = std::thread(std::move(task));
        ended = done.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
      }
      std::pmr::new_delete_resource()->deallocate(data, bytes, alignment);
    }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override {
      return this == &other;
    }
  };
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  const auto upstream = std::make_shared<Waiting>();
  auto book = book_of(UINT64_MAX, layout, 2);
  book->begin_stream(nullptr);
  buffer::SlabPool pool(book, layout, upstream);
  REQUIRE(pool.make(pool.layout().bytes));
  REQUIRE(pool.make(pool.layout().bytes));
  auto& first = lease_of(pool, 0);
  auto& second = lease_of(pool, 1);
  pool.retire();
  upstream->end_other = [&] { pool.release(second, books::Parting::consumed); };
  pool.release(first, books::Parting::consumed);
  upstream->thread.join();
  CHECK(upstream->ended);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("slabs come from pages where nothing else is given", "[buffer]") {
  const auto layout = buffer::SlabLayout::fixed({}, {4, 4}, 2, 64);
  auto book = book_of(UINT64_MAX, layout, 1);
  buffer::SlabPool pool(book, layout, nullptr);
  auto* const slab = pool.make(pool.layout().bytes);
  REQUIRE(slab);
  slab->rows = 2;
  std::ranges::fill(slab->pixels(0, 2), std::uint8_t{7});
  CHECK(slab->statuses().size() == 2);
  CHECK(slab->indices().size() == 2);
}
