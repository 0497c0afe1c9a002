#include <random>

#include "contract/verdicts/judge.hpp"
#include "contract/verdicts/mutate.hpp"
#include "support/catch.hpp"

namespace weir::test {

TEST_CASE("the loader judges JPEGs with flipped bits as libjpeg does", "[I2]") {
  const auto seed = std::random_device{}();
  for (const auto& [name, encoded] : jpeg_kinds()) {
    CAPTURE(name, seed);
    std::size_t delivered = 0;
    CHECK(differences({encoded}, delivered) == "");
    REQUIRE(delivered == 1);
    CHECK(differences(flipped(encoded, 37, seed), delivered) == "");
    CHECK(differences(mutated(encoded, 40, seed), delivered) == "");
    // F7 of THREATS: many flipped bits only change pixels.
    CHECK(delivered > 10);
  }
}

TEST_CASE("the comparison with libjpeg alone would see a difference", "[I2]") {
  auto kinds = jpeg_kinds();
  std::size_t delivered = 0;
  // libjpeg skips this marker as junk; weir refuses it as a lost segment. The test compares the reason.
  auto lost = kinds[0].encoded;
  const auto junk = codec::test::to_bytes(std::array<std::uint8_t, 4>{0xff, 0, 0, 2});
  lost.insert(lost.begin() + 2, junk.begin(), junk.end());
  CHECK(codec::test::reference_strict(lost));
  CHECK(judge_one(lost, whole({30, 40})).fault->reason == "FF 00 where a marker belongs");
  CHECK(differences({lost}, delivered) == "");
  CHECK(delivered == 0);
  // Another image has other pixels.
  CHECK(judge_one(kinds[0].encoded, whole({30, 40})).pixels !=
        judge_one(kinds[1].encoded, whole({30, 40})).pixels);
}

TEST_CASE("a damaged file of any kind is refused or decoded, never more", "[I2]") {
  using namespace codec::test;
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  const Raster image = pattern(40, 30);
  for (const auto& encoded :
       {encode_png(40, 30, image.values, {}),
        encode_png(40, 30, image.values, {.interlaced = true}), encode_webp(image, 80.f),
        encode_webp(image, std::nullopt), encode_webp(pattern(40, 30, 4), 80.f)}) {
    std::size_t refused = 0;
    for (const bool strict : {true, false})
      for (const auto& verdict : judge(mutated(encoded, 150, seed), whole({30, 40}, strict)))
        if (!verdict.delivered()) ++refused;
    CHECK(refused > 0);
  }
}

}  // namespace weir::test
