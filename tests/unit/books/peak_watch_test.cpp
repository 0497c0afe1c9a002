
#include <atomic>
#include <memory>
#include <thread>

#include "base/internals.hpp"
#include "books/book.hpp"
#include "books/peak_watch.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::books;

namespace {

using Watch = PeakWatch<Ledger>;

}  // namespace

TEST_CASE("a watch sees the peak, its breakdown and each account's own", "[books]") {
  MemoryLedger ledger(1'000);
  auto before = ledger.try_charge(Account::scratch, 500);
  before->shrink(100);
  Watch watch(Internals::books(ledger));
  CHECK(watch.read().peak == 100);

  auto filling = ledger.try_charge(Account::filling, 60);
  filling->transfer(Account::ready);  // the total is unchanged; `ready` had its own peak
  filling->shrink(10);
  auto more = ledger.try_charge(Account::scratch, 70);
  more->shrink(0);
  const auto less = ledger.try_charge(Account::scratch, 20);

  const auto seen = watch.take();
  CHECK(seen.live == 130);
  CHECK(seen.peak == 180);
  CHECK(seen.accounts.size() == account_count);
  CHECK(seen["ready"].live == 10);
  CHECK(seen["scratch"].at_peak == 170);
  CHECK(seen["ready"].at_peak == 10);
  CHECK(seen["ready"].peak == 60);
  CHECK(seen["filling"].peak == 60);
  CHECK(seen["scratch"].peak == 170);

  const auto after = watch.read();
  CHECK(after.peak == 130);
  CHECK(after["filling"].peak == 0);
  CHECK(after["ready"].peak == 10);
}

TEST_CASE("resets and other watches do not matter to a watch", "[books]") {
  MemoryLedger ledger(1'000);
  Watch first(Internals::books(ledger));
  auto gone = std::make_unique<Watch>(Internals::books(ledger));
  Watch last(Internals::books(ledger));
  auto charge = ledger.try_charge(Account::index, 300);
  charge->shrink(200);
  ledger.reset_peak();
  CHECK(ledger.snapshot().peak == 200);
  CHECK(first.take().peak == 300);
  CHECK(first.take().peak == 200);
  CHECK(gone->read().peak == 300);
  gone.reset();
  CHECK(charge->try_grow(400));
  CHECK(last.read().peak == 400);
  CHECK(first.read().peak == 400);
  CHECK(ledger.snapshot().peak == 400);
}

TEST_CASE("R15 peaks taken while others post are theirs, once", "[books][R15]") {
  MemoryLedger ledger(1'000);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> torn{0};
  std::thread looker([&] {
    Watch watch(Internals::books(ledger));
    while (!stop) {
      const auto use = watch.take();
      const auto sum = [&](auto of) {
        std::uint64_t all = 0;
        for (const auto& account : use.accounts) all += account.*of;
        return all;
      };
      if (sum(&AccountUse::live) != use.live || sum(&AccountUse::at_peak) != use.peak ||
          use.peak < use.live || use["scratch"].peak > use.peak)
        ++torn;
    }
  });
  for (std::uint64_t i = 0; i < weir::test::thinned(20'000); ++i) {
    auto one = ledger.try_charge(Account::scratch, 10 + i % 7);
    one->transfer(Account::ready);
    const auto two = ledger.try_charge(Account::scratch, 5);
  }
  stop = true;
  looker.join();
  CHECK(torn == 0);
}
