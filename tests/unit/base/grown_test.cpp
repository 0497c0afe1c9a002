#include "base/grown.hpp"

#include "support/catch.hpp"

using weir::Grown;

TEST_CASE("a growing table doubles up to its limit and moves no element", "[base]") {
  Grown<int> table(50);
  CHECK(table.capacity() == 0);
  std::vector<std::uint32_t> capacities;
  std::vector<const int*> places;
  while (table.next_capacity() > table.capacity()) {
    table.add(table.next_piece());
    capacities.push_back(table.capacity());
    for (auto i = static_cast<std::uint32_t>(places.size()); i < table.capacity(); ++i) {
      table[i] = static_cast<int>(i);
      places.push_back(&table[i]);
    }
  }
  CHECK(capacities == std::vector<std::uint32_t>{16, 32, 50});
  CHECK(table.next_piece().empty());
  for (std::uint32_t i = 0; i < 50; ++i) {
    CHECK(&table[i] == places[i]);
    CHECK(table[i] == static_cast<int>(i));
  }
}

TEST_CASE("the capacity for a number of elements is known in advance", "[base]") {
  CHECK(Grown<int>::capacity_for(0, 100) == 0);
  CHECK(Grown<int>::capacity_for(1, 100) == 16);
  CHECK(Grown<int>::capacity_for(1, 3) == 3);
  CHECK(Grown<int>::capacity_for(17, 100) == 32);
  CHECK(Grown<int>::capacity_for(65, 100) == 100);
  CHECK(Grown<int>::capacity_for(UINT32_MAX, UINT32_MAX) == UINT32_MAX);
}
