#include "books/release_prefix.hpp"

#include "support/catch.hpp"

using weir::books::ReleasePrefix;

TEST_CASE("the prefix grows over what was released beyond it", "[books]") {
  ReleasePrefix prefix(3, {}, 4);
  prefix.add(5);
  prefix.add(4);
  CHECK(prefix.next() == 3);
  CHECK(prefix.beyond() == std::vector<std::uint64_t>{4, 5});
  CHECK(prefix.contains(2));
  CHECK_FALSE(prefix.contains(3));
  CHECK(prefix.contains(5));
  prefix.add(3);
  CHECK(prefix.next() == 6);
  CHECK(prefix.beyond().empty());
}

TEST_CASE("a position that was saved in any order is brought into order", "[books]") {
  const ReleasePrefix prefix(2, {7, 1, 3, 2, 7}, 4);
  CHECK(prefix.next() == 4);
  CHECK(prefix.beyond() == std::vector<std::uint64_t>{7});
}

TEST_CASE("what was released beyond a kept lease takes no more memory with each batch", "[books]") {
  constexpr std::uint64_t kept = 3, other = 500, batches = 100'000;
  ReleasePrefix prefix(kept, {}, 2);
  for (std::uint64_t sequence = kept + 1; sequence < batches; ++sequence)
    if (sequence != other) prefix.add(sequence);
  CHECK(prefix.runs() == 2);
  CHECK(prefix.next() == kept);
  CHECK(prefix.beyond().size() == batches - kept - 2);
  CHECK_FALSE(prefix.contains(other));
  prefix.add(other);
  CHECK(prefix.runs() == 1);
  prefix.add(kept);
  CHECK(prefix.next() == batches);
  CHECK(prefix.runs() == 0);
}

TEST_CASE("batches released in any order join the runs beside them", "[books]") {
  ReleasePrefix prefix(0, {4, 6}, 4);
  CHECK(prefix.runs() == 2);
  prefix.add(7);
  prefix.add(3);
  CHECK(prefix.beyond() == std::vector<std::uint64_t>{3, 4, 6, 7});
  prefix.add(5);
  CHECK(prefix.runs() == 1);
  CHECK_FALSE(prefix.contains(2));
  CHECK_FALSE(prefix.contains(8));
}
