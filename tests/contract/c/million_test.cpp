#include "contract/c/misuse.hpp"
#include "support/catch.hpp"

TEST_CASE("a million wrong calls end in errors") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) weir::test::misuse(100'000, 1000 + seed);
}
