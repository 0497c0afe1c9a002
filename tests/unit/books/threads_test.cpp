#include <atomic>
#include <numeric>
#include <thread>

#include "books/book.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::books;

TEST_CASE("R15 a snapshot taken while others post adds up", "[books][R14][R15]") {
  auto ledger = std::make_shared<Ledger>(1'000);
  auto book = std::make_shared<Book>(ledger, ShareLimits{0, 100, 50, UINT64_MAX, 1, 4});
  book->begin_stream(nullptr);
  REQUIRE(book->try_charge_slab());
  book->add_slab(0);
  std::atomic<bool> stop{false};
  std::thread poster([&] {
    for (std::uint64_t sequence = 0; !stop; ++sequence) {
      book->open_batch(0, sequence, 4);
      for (std::uint32_t row = 0; row < 4; ++row) {
        const auto bytes = book->admit({{sequence, row}, Account::scratch, 10 + row}, nullptr);
        (void)book->finish_rows({.slab = 0, .first = row, .ok = row != 2});
        book->discharge(Account::scratch, bytes.value_or(Admitted{}));
      }
      book->publish_front();
      if (book->lease(0)) book->release(0, Parting::consumed, false);
    }
  });
  std::uint64_t torn = 0;
  for (int look = 0; look < 20'000; ++look) {
    const auto now = book->snapshot();
    const auto& accounts = now.memory.accounts;
    const auto sum = std::accumulate(accounts.begin(), accounts.end(), std::uint64_t{0});
    torn += sum != now.memory.live || !now.samples.conserved() ? 1u : 0u;
  }
  stop = true;
  poster.join();
  CHECK(torn == 0);
}
