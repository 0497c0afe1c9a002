#include "proof/shadow/run.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test::shadow;

TEST_CASE("the accountant sees what is allocated beside the books", "[shadow][R4]") {
  const auto ledger = std::make_shared<MemoryLedger>(std::nullopt);
  auto charge = ledger->try_charge(Account::cache, 5000);
  const auto start = look(*ledger);
  watch(*ledger, start.heap);
  auto* const charged = ::operator new(5000);
  auto* const aligned = ::operator new (1001, std::align_val_t{64});
  ::operator delete (aligned, std::align_val_t{64});
  ::operator delete(charged);
  const auto verdict = stop_watching();
  const auto end = look(*ledger);
  CHECK(verdict.events == 4);
  CHECK(verdict.worst_all == 1001);
  CHECK(end.heap.all == start.heap.all);
  CHECK(end.books == 5000);
}

TEST_CASE("the heap holds at most what the books show, at rest exactly", "[shadow][R4]") {
  // The first run creates the permanent memory of OpenCV and the C++ runtime.
  run({.events = 1});
  const auto data = GENERATE(Data::plain, Data::folder, Data::planes, Data::mixed);
  const std::uint32_t read_ahead = GENERATE(0u, 4u);
  const Load load{
      .data = data, .read_ahead = read_ahead, .spare = read_ahead * 10'000, .events = 2000};
  check(load, run(load));
}

TEST_CASE("a folder's index is on the books with every name", "[shadow][R4]") {
  const auto [held, claimed] = folder_index();
  // In addition there are a pointer to the table of functions and the counts of a shared_ptr.
  CHECK(held >= claimed);
  CHECK(held <= claimed + 64);
}
