#include "books/book.hpp"
#include "support/catch.hpp"
#include "support/waker.hpp"

using namespace weir;
using namespace weir::books;
using weir::test::Waker;

namespace {

/// A book that requests only its one slab.
struct OpenBook {
  OpenBook(const std::shared_ptr<Ledger>& ledger, std::uint64_t slab_bytes,
           std::uint64_t promise = 0)
      : book(
            std::make_shared<Book>(ledger, ShareLimits{promise, 0, slab_bytes, UINT64_MAX, 2, 4})) {
    book->begin_stream(waker);
  }
  std::shared_ptr<Book> book;
  std::shared_ptr<Waker> waker = std::make_shared<Waker>();
};

void make_slab(Book& book, SlabId slab) {
  REQUIRE(book.try_charge_slab());
  book.add_slab(slab);
}

void hand_over(Book& book, SlabId slab, std::uint64_t sequence, std::uint32_t rows) {
  book.open_batch(slab, sequence, rows);
  for (std::uint32_t row = 0; row < rows; ++row)
    (void)book.finish_rows({.slab = slab, .first = row});
  book.publish_front();
}

}  // namespace

TEST_CASE("between books freed bytes go in the order of asking", "[books][R14]") {
  auto ledger = std::make_shared<Ledger>(100);
  auto holder = std::make_shared<Book>(ledger, ShareLimits{0, 0, 1, UINT64_MAX, 1, 1});
  REQUIRE(holder->try_charge(Account::cache, 100));
  OpenBook first(ledger, 60), second(ledger, 40), third(ledger, 10);
  CHECK_FALSE(first.book->try_charge_slab());
  CHECK_FALSE(second.book->try_charge_slab());
  CHECK_FALSE(third.book->try_charge_slab());
  holder->discharge(Account::cache, {50, false});
  CHECK(first.waker->count == 1);
  CHECK(second.waker->count == 1);
  CHECK(third.waker->count == 1);
  CHECK_FALSE(third.book->try_charge_slab());  // there is room, but another book is first
  CHECK_FALSE(second.book->try_charge_slab());
  CHECK_FALSE(first.book->try_charge_slab());  // it is first, but there is no room
  holder->discharge(Account::cache, {10, false});
  CHECK(first.book->try_charge_slab());
  holder->discharge(Account::cache, {40, false});
  CHECK_FALSE(third.book->try_charge_slab());
  CHECK(second.book->try_charge_slab());
}

TEST_CASE("a book that waits behind another hears when that is served", "[books][R14]") {
  auto ledger = std::make_shared<Ledger>(100);
  auto holder = std::make_shared<Book>(ledger, ShareLimits{0, 0, 1, UINT64_MAX, 1, 1});
  REQUIRE(holder->try_charge(Account::cache, 60));
  OpenBook first(ledger, 60), second(ledger, 10);
  CHECK_FALSE(first.book->try_charge_slab());
  CHECK_FALSE(second.book->try_charge_slab());
  holder->discharge(Account::cache, {40, false});
  // Both try again. The second is refused, because the first has precedence and there is room for it now.
  CHECK_FALSE(second.book->try_charge_slab());
  const auto heard = second.waker->count;
  CHECK(first.book->try_charge_slab());
  CHECK(second.waker->count == heard + 1);
  CHECK(second.book->try_charge_slab());
}

TEST_CASE("a book that dies leaves the list of those that wait", "[books]") {
  auto ledger = std::make_shared<Ledger>(100);
  auto holder = std::make_shared<Book>(ledger, ShareLimits{0, 0, 1, UINT64_MAX, 1, 1});
  REQUIRE(holder->try_charge(Account::cache, 100));
  auto first = std::make_unique<OpenBook>(ledger, 60),
       last = std::make_unique<OpenBook>(ledger, 60);
  CHECK_FALSE(first->book->try_charge_slab());
  CHECK_FALSE(last->book->try_charge_slab());
  holder->discharge(Account::cache, {60, false});
  CHECK_FALSE(last->book->try_charge_slab());
  const auto heard = last->waker->count;
  first.reset();
  CHECK(last->waker->count == heard + 1);
  CHECK(last->book->try_charge_slab());
}

TEST_CASE("a book without a stream waits for nobody's call", "[books]") {
  auto ledger = std::make_shared<Ledger>(100);
  auto holder = std::make_shared<Book>(ledger, ShareLimits{0, 0, 1, UINT64_MAX, 1, 1});
  REQUIRE(holder->try_charge(Account::cache, 100));
  auto quiet = std::make_shared<Book>(ledger, ShareLimits{0, 0, 50, UINT64_MAX, 1, 1});
  CHECK_FALSE(quiet->try_charge_slab());
  holder->discharge(Account::cache, {100, false});
  CHECK(quiet->try_charge_slab());
}

TEST_CASE("a retired book promises nothing and its leases stay charged", "[books]") {
  auto ledger = std::make_shared<Ledger>(100);
  OpenBook open(ledger, 30, 80);
  auto& book = *open.book;
  make_slab(book, 0);
  make_slab(book, 1);
  hand_over(book, 0, 0, 4);
  REQUIRE(book.lease(0));
  book.retire();
  CHECK(ledger->promised() == 0);
  CHECK_FALSE(std::make_shared<Book>(ledger, ShareLimits{30, 0, 1, UINT64_MAX, 1, 1}) == nullptr);
  book.remove_slab(1);
  CHECK(book.state(1) == SlabState::absent);
  CHECK(ledger->snapshot().live == 30);
  book.release(0, Parting::discarded, true);
  CHECK(book.state(0) == SlabState::absent);
  CHECK(book.snapshot().samples.discarded == 4);
  CHECK(ledger->snapshot().live == 0);
}

TEST_CASE("a late batch of an earlier stream does not move the position", "[books]") {
  auto ledger = std::make_shared<Ledger>(100);
  OpenBook open(ledger, 30);
  auto& book = *open.book;
  make_slab(book, 0);
  make_slab(book, 1);
  hand_over(book, 0, 0, 1);
  hand_over(book, 1, 1, 2);
  REQUIRE(book.lease(0));
  CHECK(book.leased() == 1);
  CHECK(book.ledger()->budget() == 100);
  book.cancel();
  CHECK(book.queue().cancelled);
  CHECK_FALSE(book.lease(1));
  book.discard_ready(1);
  book.end_stream();
  book.begin_stream(open.waker);
  book.release(0, Parting::consumed, false);
  hand_over(book, 1, 5, 2);
  REQUIRE(book.lease(1));
  book.release(1, Parting::consumed, false);
  CHECK(book.snapshot().samples.consumed == 3);
  CHECK(book.snapshot().samples.discarded == 2);
}

TEST_CASE("nothing is granted after a cancel", "[books]") {
  auto ledger = std::make_shared<Ledger>(100);
  OpenBook open(ledger, 30);
  auto& book = *open.book;
  make_slab(book, 0);
  book.open_batch(0, 0, 4);
  Waiter waiter;
  CHECK_FALSE(book.admit({{0, 1}, Account::scratch, 71}, &waiter));
  book.park(waiter);
  book.cancel();
  REQUIRE(book.try_charge(Account::cache, 1));
  book.discharge(Account::cache, {1, false});
  (void)book.finish_rows({.slab = 0, .first = 0});
  CHECK(book.grant_oldest() == nullptr);
}

TEST_CASE("the oldest row that asks for a stop has it", "[books]") {
  auto ledger = std::make_shared<Ledger>(100);
  OpenBook open(ledger, 30);
  auto& book = *open.book;
  CHECK(book.stop_at({3, 1}));
  CHECK_FALSE(book.stop_at({3, 1}));
  CHECK_FALSE(book.stop_at({4, 0}));
  CHECK(book.stop_at({3, 0}));
  CHECK(book.queue().stop == RowKey{3, 0});
}

TEST_CASE("an encoded grant above the cap waits unless it is oldest", "[books]") {
  auto ledger = std::make_shared<Ledger>(1'000);
  auto book = std::make_shared<Book>(ledger, ShareLimits{0, 100, 50, 60, 2, 4});
  auto waker = std::make_shared<Waker>();
  book->begin_stream(waker);
  make_slab(*book, 0);
  book->open_batch(0, 0, 4);
  const auto held = book->admit({{0, 0}, Account::encoded, 60}, nullptr);
  REQUIRE(held);
  Waiter waiter;
  CHECK_FALSE(book->admit({{0, 1}, Account::encoded, 61}, &waiter));
  book->park(waiter);
  CHECK(book->grant_oldest() == nullptr);
  book->discharge(Account::encoded, *held);
  CHECK(book->grant_oldest() == nullptr);  // 61 alone exceed the cap
  (void)book->finish_rows({.slab = 0, .first = 0});
  CHECK(book->grant_oldest() == &waiter);
  CHECK_FALSE(waiter.granted.reserve);
}
