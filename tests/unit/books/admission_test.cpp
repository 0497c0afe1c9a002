#include "books/book.hpp"
#include "desk.hpp"
#include "support/catch.hpp"
#include "support/waker.hpp"
#include "weir/error.hpp"

using namespace weir;
using namespace weir::books;
using weir::test::Waker;

namespace {

/// A reserve of 100, and 200 for everything else.
struct ReserveDesk : books::test::Desk {
  ReserveDesk() : books::test::Desk({150, 100, 50, UINT64_MAX, 2, 4}) {}
};

}  // namespace

TEST_CASE("the reserve serves the oldest row alone, to the byte", "[books]") {
  ReserveDesk desk;
  auto& book = *desk.book;
  CHECK(book.admit({{0, 1}, Account::encoded, 150}, nullptr));  // 50 of slab + 150: general is full
  CHECK_FALSE(book.admit({{0, 1}, Account::scratch, 1}, nullptr));
  CHECK_FALSE(book.admit({{0, 0}, Account::scratch, 101}, nullptr));
  const auto all = book.admit({{0, 0}, Account::scratch, 100}, nullptr);
  REQUIRE(all);
  CHECK(all->reserve);
  Waiter over;  // it requests more than max_sample_bytes, so it would wait forever
  CHECK_FALSE(book.admit({{0, 0}, Account::encoded, 1}, &over));
  book.park(over);
  CHECK(book.grant_oldest() == nullptr);
  CHECK(book.snapshot().memory.live == 300);
  book.discharge(Account::scratch, *all);
  CHECK(book.grant_oldest() == &over);
  CHECK(over.granted.reserve);
  book.discharge(Account::encoded, over.granted);
  (void)book.finish_rows({.slab = 0, .first = 0});
  CHECK(book.admit({{0, 1}, Account::scratch, 100}, nullptr));  // row 1 is the oldest now
}

TEST_CASE("a refused row waits and the oldest parked one is granted", "[books]") {
  ReserveDesk desk;
  auto& book = *desk.book;
  const auto full = book.admit({{0, 0}, Account::encoded, 150}, nullptr);
  REQUIRE(full);
  Waiter third, second;
  CHECK_FALSE(book.admit({{0, 3}, Account::encoded, 10}, &third));
  CHECK_FALSE(book.admit({{0, 2}, Account::encoded, 20}, &second));
  CHECK(book.someone_waits());
  book.park(third);
  CHECK_FALSE(book.grant_oldest());  // row 2 is older and is not parked yet
  book.park(second);
  const auto woken = desk.waker->count;
  book.discharge(Account::encoded, *full);
  CHECK(desk.waker->count == woken + 1);
  // No row younger than a waiter is admitted, even if bytes are free. Older ones are.
  CHECK_FALSE(book.admit({{0, 3}, Account::scratch, 1}, nullptr));
  CHECK(book.admit({{0, 1}, Account::scratch, 1}, nullptr));
  CHECK_FALSE(book.try_charge_slab());
  CHECK(book.grant_oldest() == &second);
  CHECK(second.granted.bytes == 20);
  CHECK(book.grant_oldest() == &third);
  CHECK_FALSE(book.grant_oldest());
  CHECK(book.snapshot().memory[Account::encoded] == 30);
}

TEST_CASE("the end of a row wakes all waiters even if it frees nothing", "[books]") {
  ReserveDesk desk;
  auto& book = *desk.book;
  CHECK(book.admit({{0, 0}, Account::encoded, 150}, nullptr));
  Waiter waiter;
  CHECK_FALSE(book.admit({{0, 1}, Account::encoded, 90}, &waiter));
  book.park(waiter);
  CHECK_FALSE(book.grant_oldest());
  const auto woken = desk.waker->count;
  (void)book.finish_rows({.slab = 0, .first = 0});
  CHECK(desk.waker->count == woken + 1);
  CHECK(book.grant_oldest() == &waiter);
  CHECK(waiter.granted.reserve);
}

TEST_CASE("encoded bytes of younger rows stay under the read-ahead cap", "[books]") {
  auto ledger = std::make_shared<Ledger>(10'000);
  auto book = std::make_shared<Book>(ledger, ShareLimits{0, 100, 50, 60, 2, 4});
  book->begin_stream(nullptr);
  REQUIRE(book->try_charge_slab());
  book->add_slab(0);
  book->open_batch(0, 0, 4);
  CHECK(book->admit({{0, 1}, Account::encoded, 60}, nullptr));
  CHECK_FALSE(book->admit({{0, 2}, Account::encoded, 1}, nullptr));
  CHECK(book->admit({{0, 2}, Account::scratch, 1}, nullptr));
  CHECK(book->admit({{0, 0}, Account::encoded, 500}, nullptr));
}

TEST_CASE("what one book was promised no other can take", "[books]") {
  auto ledger = std::make_shared<Ledger>(1000);
  auto first = std::make_shared<Book>(ledger, ShareLimits{400, 100, 10, UINT64_MAX, 2, 4});
  auto second = std::make_shared<Book>(ledger, ShareLimits{300, 0, 10, UINT64_MAX, 2, 4});
  CHECK(ledger->promised() == 700);
  CHECK_FALSE(second->try_charge(Account::cache, 601));
  CHECK(second->try_charge(Account::cache, 600));
  CHECK(first->try_charge(Account::cache, 300));
  CHECK_FALSE(first->try_charge(Account::cache, 1));  // the rest is the reserve of the first book
  CHECK_THROWS_AS(std::make_shared<Book>(ledger, ShareLimits{1, 0, 10, UINT64_MAX, 2, 4}), Error);
  second.reset();
  CHECK(std::make_shared<Book>(ledger, ShareLimits{500, 0, 10, UINT64_MAX, 2, 4}));
}

TEST_CASE("a waiting book holds others to their promises until served", "[books]") {
  auto ledger = std::make_shared<Ledger>(1000);
  auto first = std::make_shared<Book>(ledger, ShareLimits{200, 0, 900, UINT64_MAX, 2, 4});
  auto second = std::make_shared<Book>(ledger, ShareLimits{200, 0, 10, UINT64_MAX, 2, 4});
  const auto waker = std::make_shared<Waker>();
  first->begin_stream(waker);
  CHECK(second->try_charge(Account::cache, 250));
  CHECK_FALSE(first->try_charge_slab());  // requested: 900
  CHECK_FALSE(second->try_charge(Account::cache, 1));
  second->discharge(Account::cache, {100, false});
  CHECK(waker->count > 0);
  CHECK(second->try_charge(Account::cache, 50));  // allowed up to its reservation
  CHECK_FALSE(second->try_charge(Account::cache, 1));
  first->end_stream();
  CHECK(second->try_charge(Account::cache, 1));
}
