#include <random>

#include "contract/verdicts/mutate.hpp"
#include "support/catch.hpp"

namespace weir::test {

TEST_CASE("the loader judges three flips of every byte as libjpeg does", "[I2]") {
  const auto seed = std::random_device{}();
  for (const auto& [name, encoded] : jpeg_kinds()) {
    CAPTURE(name, seed);
    std::size_t delivered = 0;
    CHECK(differences(flipped(encoded, 1, seed), delivered) == "");
    CHECK(delivered > encoded.size() / 4);
  }
}

TEST_CASE("the loader judges 200,000 mutated JPEGs as libjpeg does", "[I2]") {
  const auto first = std::random_device{}();
  const auto kinds = jpeg_kinds();
  for (unsigned i = 0; i < 200; ++i) {
    const auto seed = first + i;
    const auto& [name, encoded] = kinds[i % kinds.size()];
    CAPTURE(name, seed);
    std::size_t delivered = 0;
    REQUIRE(differences(mutated(encoded, 1000, seed), delivered) == "");
    CHECK(delivered > 10);
  }
}

}  // namespace weir::test
