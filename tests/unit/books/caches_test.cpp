#include <optional>
#include <utility>

#include "books/book.hpp"
#include "books/evictable.hpp"
#include "desk.hpp"
#include "support/catch.hpp"
#include "support/waker.hpp"
#include "weir/error.hpp"

using namespace weir;
using namespace weir::books;
using weir::test::Waker;

namespace {

/// A cache of pieces of 10 bytes. Some of them are in use.
class Pieces final : public Evictable {
 public:
  explicit Pieces(std::shared_ptr<Budget> budget) : Evictable(*budget), budget_(std::move(budget)) {
    attach();
  }
  ~Pieces() override {
    detach();
    held = 0;
    while (evict()) {
    }
  }

  void fill(int pieces) {
    for (int i = 0; i < pieces; ++i) {
      REQUIRE(budget_->try_charge_cache(10, UINT64_MAX));
      ++there;
    }
  }
  bool evict() noexcept override {
    if (there <= held) return false;
    --there;
    budget_->discharge_cache(10);
    return true;
  }

  int there = 0, held = 0;

 private:
  std::shared_ptr<Budget> budget_;
};

/// A reserve of 20, and at most 60 encoded bytes beyond the oldest row's.
struct CacheDesk : books::test::Desk {
  CacheDesk() : books::test::Desk({70, 20, 50, 60, 4, 4}) {}
};

}  // namespace

TEST_CASE("a row makes caches free only what it is short of", "[books][cache]") {
  CacheDesk desk;
  auto& book = *desk.book;
  Pieces cache(desk.book);
  cache.fill(23);  // 50 + 230 + 20 of reserve: full
  CHECK_FALSE(book.try_charge_cache(1, UINT64_MAX));
  CHECK(book.make_room(Claim{{0, 1}, Account::scratch, 25}));
  CHECK(cache.there == 20);
  CHECK_FALSE(book.make_room(Claim{{0, 1}, Account::scratch, 30}));  // there is enough room already
  CHECK(book.admit({{0, 1}, Account::scratch, 25}, nullptr));
  // More encoded bytes are refused by their cap, so eviction does not help.
  CHECK_FALSE(book.make_room(Claim{{0, 1}, Account::encoded, 61}));
  // The same if an older row waits.
  Waiter older;
  CHECK_FALSE(book.admit({{0, 1}, Account::scratch, 200}, &older));
  CHECK_FALSE(book.make_room(Claim{{0, 2}, Account::scratch, 100}));
  CHECK(cache.there == 20);
  // Pieces in use stay.
  cache.held = 18;
  CHECK(book.make_room(Claim{{0, 0}, Account::scratch, 200}));
  CHECK(cache.there == 18);
  CHECK_FALSE(book.make_room(Claim{{0, 0}, Account::scratch, 200}));
  desk.end();
}

TEST_CASE("a waiting sample gets cache bytes once its worker lets go", "[books][cache]") {
  CacheDesk desk;
  auto& book = *desk.book;
  Pieces cache(desk.book);
  CHECK_FALSE(book.make_room());  // no row waits
  cache.fill(23);
  Waiter waiter;
  CHECK_FALSE(book.admit({{0, 1}, Account::scratch, 40}, &waiter));
  CHECK_FALSE(book.make_room());
  CHECK(cache.there == 23);
  book.park(waiter);
  CHECK(book.make_room());
  CHECK(cache.there == 19);
  CHECK(book.grant_oldest() == &waiter);
  Waiter capped;
  CHECK(book.admit({{0, 2}, Account::encoded, 0}, nullptr));
  CHECK_FALSE(book.admit({{0, 2}, Account::encoded, 61}, &capped));
  book.park(capped);
  CHECK_FALSE(book.make_room());
  CHECK(cache.there == 19);
  // A stream that ends needs nothing more.
  Waiter late;
  CHECK_FALSE(book.admit({{0, 0}, Account::scratch, 200}, &late));
  book.park(late);
  book.cancel();
  CHECK_FALSE(book.make_room());
  CHECK(cache.there == 19);
  book.discharge(Account::scratch, waiter.granted);
  book.drop_front();
  book.end_stream();
}

TEST_CASE("a slab that waits gets caches' bytes", "[books][cache]") {
  CacheDesk desk;
  auto& book = *desk.book;
  Pieces cache(desk.book);
  cache.fill(23);
  CHECK_FALSE(book.try_charge_slab());
  CHECK(book.make_room());
  CHECK(cache.there == 18);
  CHECK(book.try_charge_slab());
  book.add_slab(1);
  desk.end();
}

TEST_CASE("a charge makes caches give way only where that is enough", "[books][cache]") {
  CacheDesk desk;
  auto& book = *desk.book;
  Pieces cache(desk.book);
  cache.fill(23);
  CHECK_FALSE(book.try_charge(Account::scratch, 231));
  CHECK(cache.there == 23);
  CHECK(book.try_charge(Account::scratch, 30));
  CHECK(cache.there == 20);
  cache.held = 20;
  CHECK_FALSE(book.try_charge(Account::scratch, 10));
  CHECK(cache.there == 20);
  desk.end();
}

TEST_CASE("a row that must yield gets bytes only of its book's cache", "[books][cache]") {
  CacheDesk desk;
  auto& first = *desk.book;
  const auto second = std::make_shared<Book>(desk.ledger, ShareLimits{30, 0, 10, UINT64_MAX, 2, 4});
  const auto waker = std::make_shared<Waker>();
  second->begin_stream(waker);
  Pieces cache(desk.book);
  cache.fill(20);
  // The second book requests first, more than the cache could free.
  Waiter big;
  REQUIRE(second->try_charge_slab());
  second->add_slab(0);
  second->open_batch(0, 0, 4);
  CHECK_FALSE(second->admit({{0, 1}, Account::scratch, 280}, &big));
  second->park(big);
  // The first may use its reservation, and its own cache is evicted for it.
  CHECK(first.make_room(Claim{{0, 1}, Account::scratch, 30}));
  CHECK(cache.there == 0);
  // Without a cache of its own, no cache is evicted for it.
  Pieces theirs(second);
  CHECK_FALSE(first.make_room(Claim{{0, 1}, Account::scratch, 200}));
  CHECK_FALSE(first.try_charge(Account::scratch, 100));
  // What belongs to no loader gives way to none.
  Budget caller(desk.ledger, {.yields = false});
  CHECK(caller.try_charge(Account::index, 10));
  caller.discharge(Account::index, {10, false});
  second->cancel();
  second->drop_front();
  second->end_stream();
  desk.end();
}

TEST_CASE("a share takes caches' bytes if it then fits, else none", "[books][cache]") {
  const auto ledger = std::make_shared<Ledger>(300);
  const auto own = std::make_shared<Book>(ledger, ShareLimits{50, 0, 10, UINT64_MAX, 2, 4});
  Pieces cache(own);
  cache.fill(10);
  CHECK_THROWS_AS(Budget(ledger, {.promise = 251}), Error);
  CHECK(cache.there == 10);
  CHECK_NOTHROW(Budget(ledger, {.promise = 240}));
  CHECK(cache.there == 6);
}

TEST_CASE("a cache serves its own book first, others beyond its promise", "[books][cache]") {
  auto ledger = std::make_shared<Ledger>(300);
  const auto own = std::make_shared<Book>(ledger, ShareLimits{50, 0, 10, UINT64_MAX, 2, 4});
  const auto other = std::make_shared<Book>(ledger, ShareLimits{50, 0, 10, UINT64_MAX, 2, 4});
  auto older = std::make_optional<Pieces>(own);
  auto younger = std::make_optional<Pieces>(other);
  younger->fill(7);
  older->fill(7);
  CHECK(ledger->evict(own.get()));
  CHECK(older->there == 6);
  older->held = 6;
  // The other book's cache, as long as it exceeds that book's reservation.
  CHECK(ledger->evict(own.get()));
  CHECK(ledger->evict(own.get()));
  CHECK(younger->there == 5);
  CHECK_FALSE(ledger->evict(own.get()));
  CHECK(younger->there == 5);
  younger->fill(1);
  younger->held = 6;
  CHECK_FALSE(ledger->evict(own.get()));
  // In any order of destruction.
  older.reset();
  younger->held = 0;
  CHECK(ledger->evict(nullptr));
  younger.reset();
  CHECK_FALSE(ledger->evict(nullptr));
  CHECK(ledger->snapshot().live == 0);
}
