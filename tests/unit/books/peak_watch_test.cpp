#include "books/peak_watch.hpp"

#include <atomic>
#include <memory>
#include <numeric>
#include <thread>

#include "base/internals.hpp"
#include "books/book.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;
using namespace weir::books;

namespace {

constexpr auto place(Account account) { return static_cast<std::size_t>(account); }

}  // namespace

TEST_CASE("a watch sees the peak, its breakdown and each account's own", "[books]") {
  MemoryLedger ledger(1'000);
  auto before = ledger.try_charge(Account::scratch, 500);
  before->shrink(100);
  PeakWatch watch(Internals::books(ledger));
  CHECK(watch.read().memory.peak == 100);

  auto filling = ledger.try_charge(Account::filling, 60);
  filling->transfer(Account::ready);  // the total stays; ready had its own peak
  filling->shrink(10);
  auto more = ledger.try_charge(Account::scratch, 70);
  more->shrink(0);
  const auto less = ledger.try_charge(Account::scratch, 20);

  const auto seen = watch.take();
  CHECK(seen.memory.live == 130);
  CHECK(seen.memory.peak == 180);
  CHECK(seen.memory.budget == 1'000);
  CHECK(seen.memory.accounts[place(Account::ready)] == 10);
  CHECK(seen.memory.accounts_at_peak[place(Account::scratch)] == 170);
  CHECK(seen.memory.accounts_at_peak[place(Account::ready)] == 10);
  CHECK(seen.account_peaks[place(Account::ready)] == 60);
  CHECK(seen.account_peaks[place(Account::filling)] == 60);
  CHECK(seen.account_peaks[place(Account::scratch)] == 170);

  const auto after = watch.read();
  CHECK(after.memory.peak == 130);
  CHECK(after.account_peaks[place(Account::filling)] == 0);
  CHECK(after.account_peaks[place(Account::ready)] == 10);
}

TEST_CASE("resets and other watches do not matter to a watch", "[books]") {
  MemoryLedger ledger(1'000);
  PeakWatch first(Internals::books(ledger));
  auto gone = std::make_unique<PeakWatch>(Internals::books(ledger));
  PeakWatch last(Internals::books(ledger));
  auto charge = ledger.try_charge(Account::index, 300);
  charge->shrink(200);
  ledger.reset_peak();
  CHECK(ledger.snapshot().peak == 200);
  CHECK(first.take().memory.peak == 300);
  CHECK(first.take().memory.peak == 200);
  CHECK(gone->read().memory.peak == 300);
  gone.reset();
  CHECK(charge->try_grow(400));
  CHECK(last.read().memory.peak == 400);
  CHECK(first.read().memory.peak == 400);
  CHECK(ledger.snapshot().peak == 400);
}

TEST_CASE("R15 peaks taken while others post are theirs, once", "[books][R15]") {
  MemoryLedger ledger(1'000);
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> torn{0};
  std::thread looker([&] {
    PeakWatch watch(Internals::books(ledger));
    while (!stop) {
      const auto [memory, own] = watch.take();
      const auto sum = [](const AccountBytes& of) {
        return std::accumulate(of.begin(), of.end(), std::uint64_t{0});
      };
      if (sum(memory.accounts) != memory.live || sum(memory.accounts_at_peak) != memory.peak ||
          memory.peak < memory.live || own[place(Account::scratch)] > memory.peak)
        ++torn;
    }
  });
  for (std::uint64_t i = 0; i < test::thinned(20'000); ++i) {
    auto one = ledger.try_charge(Account::scratch, 10 + i % 7);
    one->transfer(Account::ready);
    const auto two = ledger.try_charge(Account::scratch, 5);
  }
  stop = true;
  looker.join();
  CHECK(torn == 0);
}
