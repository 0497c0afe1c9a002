#include "books/book.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::books;

namespace {

/// Adds slabs of 10 bytes until one is refused. Returns their number.
std::uint32_t add_slabs(Book& book) {
  std::uint32_t slabs = 0;
  while (slabs < book.limits().slabs && book.try_charge_slab()) book.add_slab(slabs++);
  return slabs;
}

ShareLimits limits_of(std::uint32_t slabs) {
  return {.promise = 20,
          .slab_bytes = 10,
          .slabs = slabs,
          .batch = 4,
          .record_bytes = 3,
          .records = 16};
}

}  // namespace

TEST_CASE("records of slabs beyond the plan are charged before creation", "[books]") {
  const auto ledger = std::make_shared<Ledger>(10'000);
  const auto book = std::make_shared<Book>(ledger, limits_of(40));
  for (std::uint32_t slab = 0; slab < 40; ++slab) {
    REQUIRE(book->try_charge_slab());
    const auto now = ledger->snapshot();
    // 16 slabs have their records in the plan. The table then grows to 32 and to its limit.
    CHECK(now[Account::index] == (slab < 16 ? 0 : slab < 32 ? 16 * 3 : 24 * 3));
    book->add_slab(slab);
  }
  CHECK(ledger->snapshot().live == 40 * 10 + 24 * 3);
  for (std::uint32_t slab = 0; slab < 40; ++slab) book->remove_slab(slab);
  // The records stay, and serve the next slabs.
  CHECK(ledger->snapshot().live == 24 * 3);
  REQUIRE(book->try_charge_slab());
  CHECK(ledger->snapshot().live == 10 + 24 * 3);
  book->add_slab(0);
  book->remove_slab(0);
  book->retire();
  CHECK(ledger->snapshot().live == 0);
}

TEST_CASE("a slab is refused with its records", "[books]") {
  // Room for 17 slabs and the records of 16 more, less one byte.
  const auto ledger = std::make_shared<Ledger>(17 * 10 + 16 * 3 - 1);
  const auto book = std::make_shared<Book>(ledger, limits_of(1 << 20));
  CHECK(add_slabs(*book) == 16);
  CHECK(ledger->snapshot().live == 160);
  CHECK(book->queue().slab_requested == 10 + 16 * 3);
  CHECK(book->someone_waits());
  book->end_stream();
  for (std::uint32_t slab = 0; slab < 16; ++slab) book->remove_slab(slab);
}

TEST_CASE("the smallest idle slab within bounds is found", "[books]") {
  const auto book = std::make_shared<Book>(std::make_shared<Ledger>(10'000), limits_of(8));
  for (std::uint32_t slab = 0; slab < 4; ++slab) {
    REQUIRE(book->try_charge_slab(100 - 10 * slab));
    book->add_slab(slab, 100 - 10 * slab);
  }
  CHECK(book->fitting_slab(75, 200) == 2u);
  CHECK(book->fitting_slab(89, 200) == 1u);
  CHECK_FALSE(book->fitting_slab(75, 79));
  CHECK_FALSE(book->fitting_slab(101, 200));
  // The youngest idle slab is used first, and one from the middle can leave.
  CHECK(book->idle_slab() == 3u);
  book->remove_slab(2);
  CHECK_FALSE(book->fitting_slab(75, 200));  // more than an eighth larger
  for (const std::uint32_t slab : {0u, 1u, 3u}) book->remove_slab(slab);
  CHECK_FALSE(book->idle_slab());
}
