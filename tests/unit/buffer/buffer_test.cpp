#include <cstdint>
#include <memory>

#include "buffer/block.hpp"
#include "buffer/slab.hpp"
#include "laws/fixture.hpp"
#include "support/catch.hpp"

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

std::shared_ptr<books::Book> page(std::uint64_t budget, const buffer::SlabLayout& layout,
                                  std::uint32_t slabs) {
  return books::Book::open(std::make_shared<books::Ledger>(budget),
                           {0, 0, layout.bytes, UINT64_MAX, slabs, layout.batch});
}

}  // namespace

TEST_CASE("the parts of a slab lie apart, each aligned", "[buffer]") {
  const buffer::SlabLayout layout({5, 7, 3}, 3, 64);
  CHECK(layout.labels == 320);  // 3 * 105 = 315
  CHECK(layout.indices == 384);
  CHECK(layout.statuses == 448);
  CHECK(layout.bytes == 512);
  CHECK(buffer::SlabLayout({224, 224, 3}, 64, 64).bytes == 64ull * 224 * 224 * 3 + 512 + 512 + 64);
  CHECK(buffer::SlabLayout({65'500, 65'500, 3}, 1u << 31, 64).bytes == UINT64_MAX);
}

TEST_CASE("slabs are made one by one, charged before they exist, and kept", "[buffer]") {
  const buffer::SlabLayout layout({4, 4, 3}, 2, 64);
  auto upstream = std::make_shared<CountingUpstream>();
  auto book = page(2 * layout.bytes, layout, 3);
  buffer::SlabPool pool(book, layout, upstream);
  CHECK(upstream->allocations() == 0);
  auto* const first = pool.make();
  REQUIRE(first);
  first->rows = 2;
  CHECK(reinterpret_cast<std::uintptr_t>(first->pixels(0, 1).data()) % 64 == 0);
  CHECK(first->labels().size() == 2);
  CHECK(pool.make());
  CHECK_FALSE(pool.make());
  CHECK(upstream->outstanding() == 2 * layout.bytes);
  CHECK(book->snapshot().memory[Account::idle] == upstream->outstanding());
}

TEST_CASE("an upstream that throws leaves nothing charged", "[buffer]") {
  const buffer::SlabLayout layout({4, 4, 3}, 2, 64);
  auto book = page(UINT64_MAX, layout, 1);
  buffer::SlabPool pool(book, layout, std::make_shared<Refusing>());
  CHECK_THROWS_AS(pool.make(), std::bad_alloc);
  CHECK(book->snapshot().memory.live == 0);
}

TEST_CASE("a block grows to what is asked, keeps it, and gives it back", "[buffer]") {
  const buffer::SlabLayout layout({4, 4, 3}, 2, 64);
  auto book = page(100, layout, 1);
  {
    buffer::Block block(*book, Account::scratch);
    CHECK(block.ensure(40, 0, {5, 0}, nullptr));
    CHECK(block.ensure(10, 0, {5, 0}, nullptr));
    CHECK(block.charged() == 40);
    // The old bytes go first: 40 and 90 would not fit together.
    CHECK(block.ensure(90, 0, {5, 0}, nullptr));
    CHECK(book->snapshot().memory[Account::scratch] == 90);
    CHECK(book->snapshot().memory.peak == 90);
    CHECK_FALSE(block.ensure(101, 0, {5, 0}, nullptr));
    CHECK(block.charged() == 0);
    // Bytes beside are on the books and not in the block.
    CHECK(block.ensure(10, 60, {5, 0}, nullptr));
    CHECK(book->snapshot().memory.live == 70);
    CHECK(block.ensure(10, 50, {5, 0}, nullptr));
    CHECK(book->snapshot().memory.live == 70);
    CHECK(block.ensure(11, 50, {5, 0}, nullptr));
    CHECK(book->snapshot().memory.live == 61);
    block.trim();
    CHECK(block.ensure(7, 0, {5, 0}, nullptr));
    buffer::Block other(std::move(block));
    CHECK(other.charged() == 7);
    CHECK(book->snapshot().memory.live == 7);
  }
  CHECK(book->snapshot().memory.live == 0);
}
