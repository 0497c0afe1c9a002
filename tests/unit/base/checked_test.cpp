#include "base/checked.hpp"

#include "support/catch.hpp"

using weir::unlimited;

TEST_CASE("sums and products that do not fit stick at the maximum") {
  CHECK(weir::add_sat(2, 3) == 5);
  CHECK(weir::add_sat(unlimited, 1) == unlimited);
  CHECK(weir::add_sat(unlimited - 1, 1) == unlimited);
  CHECK(weir::mul_sat(1ull << 31, 1ull << 32) == 1ull << 63);
  CHECK(weir::mul_sat(1ull << 32, 1ull << 32) == unlimited);
  CHECK(weir::mul_sat(unlimited, 0) == 0);
}

TEST_CASE("a difference stops at zero") {
  CHECK(weir::sub_floor(5, 3) == 2);
  CHECK(weir::sub_floor(3, 5) == 0);
  CHECK(weir::sub_floor(unlimited, unlimited) == 0);
}

TEST_CASE("rounding up gives the next multiple, or else the maximum") {
  CHECK(weir::round_up(0, 64) == 0);
  CHECK(weir::round_up(1, 64) == 64);
  CHECK(weir::round_up(64, 64) == 64);
  CHECK(weir::round_up(65, 64) == 128);
  CHECK(weir::round_up(7, 1) == 7);
  CHECK(weir::round_up(7, 3) == 9);
  CHECK(weir::round_up(unlimited - 63, 64) == unlimited - 63);
  CHECK(weir::round_up(unlimited - 62, 64) == unlimited);
}
