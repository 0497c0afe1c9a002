#include <string>
#include <utility>

#include "support/catch.hpp"
#include "weir/ledger.hpp"

using namespace weir;

TEST_CASE("a charge is on the books while it lives, in a single account", "[books]") {
  MemoryLedger ledger(100);
  {
    auto charge = ledger.try_charge(Account::cache, 60);
    REQUIRE(charge);
    CHECK(ledger.snapshot()[Account::cache] == 60);
    charge->transfer(Account::index);
    CHECK(ledger.snapshot()[Account::cache] == 0);
    CHECK(ledger.snapshot()[Account::index] == 60);
    CHECK(ledger.snapshot().live == 60);
    CHECK_FALSE(ledger.try_charge(Account::cache, 41));
  }
  CHECK(ledger.snapshot().live == 0);
  CHECK(ledger.snapshot().peak == 60);
  ledger.reset_peak();
  CHECK(ledger.snapshot().peak == 0);
  CHECK(ledger.promised() == 0);
  CHECK(ledger.budget() == 100);
}

TEST_CASE("a charge grows where there is room and shrinks as it is told", "[books]") {
  MemoryLedger ledger(100);
  auto charge = ledger.try_charge(Account::cache, 60);
  CHECK(charge->try_grow(100));
  CHECK(charge->bytes() == 100);
  CHECK_FALSE(charge->try_grow(101));
  CHECK(charge->try_grow(50));  // it already holds them
  CHECK(charge->bytes() == 100);
  const auto postings = ledger.postings();
  charge->shrink(100);
  CHECK(ledger.postings() == postings);
  charge->shrink(30);
  CHECK(ledger.snapshot().live == 30);
  charge->shrink(0);
  charge->transfer(Account::index);  // moves no bytes, but later growth uses the new account
  CHECK(charge->try_grow(10));
  CHECK(ledger.snapshot()[Account::index] == 10);
}

TEST_CASE("charges that would wrap are refused, also without a budget", "[books]") {
  MemoryLedger ledger(std::nullopt);
  auto most = ledger.try_charge(Account::cache, UINT64_MAX - 10);
  REQUIRE(most);
  CHECK_FALSE(ledger.budget());
  CHECK_FALSE(ledger.snapshot().budget);
  CHECK_FALSE(ledger.try_charge(Account::cache, 20));
  CHECK_FALSE(most->try_grow(UINT64_MAX));
  CHECK(ledger.snapshot().live == UINT64_MAX - 10);
}

TEST_CASE("a charge that moves is one charge", "[books]") {
  MemoryLedger ledger(100);
  auto first = *ledger.try_charge(Account::cache, 60);
  auto second = *ledger.try_charge(Account::index, 30);
  Charge moved(std::move(first));
  CHECK(first.bytes() == 0);
  CHECK(ledger.snapshot().live == 90);
  second = std::move(moved);  // its old bytes are discharged
  CHECK(ledger.snapshot().live == 60);
  auto& same = second;
  second = std::move(same);
  CHECK(second.bytes() == 60);
  CHECK(ledger.snapshot()[Account::cache] == 60);
}

TEST_CASE("an empty charge has no books to grow on", "[books]") {
  Charge charge;
  charge.transfer(Account::index);
  charge.shrink(0);
  CHECK(charge.bytes() == 0);
  CHECK(charge.try_grow(0));
  CHECK_FALSE(charge.try_grow(1));
}

TEST_CASE("every account has its word", "[books]") {
  std::string words;
  for (std::size_t i = 0; i <= account_count; ++i)
    words += std::string(to_string(static_cast<Account>(i))) + " ";
  CHECK(words == "index encoded scratch filling ready leased idle cache ? ");
}
