#include "made_jpegs.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

namespace weir::codec::test {

TEST_CASE("windows of ten thousand files with restart markers are exact") {
  std::mt19937 random(20261125);
  Compared all;
  for (std::uint64_t i = 0; i < weir::test::thinned(10'000); ++i) {
    const auto found = compare_windows(draw_jpeg(random, i % 10 == 0 ? 300 : 70), 12, random);
    REQUIRE(found.differ == 0);
    all.windows += found.windows;
    all.parts += found.parts;
  }
  CHECK(all.parts > all.windows / 4);
}

}  // namespace weir::codec::test
