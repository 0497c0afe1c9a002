#include "cuts.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

constexpr std::size_t step = 23;  // truncation_long_test takes them all

}  // namespace

TEST_CASE("there are 21 kinds of files to cut, and all of them are sound", "[I1]") {
  const auto samples = every_kind();
  CHECK(samples.size() == 8 + 10 + 3);
  for (const auto& sample : samples) {
    CAPTURE(sample.name);
    CHECK(run(whole_image(), sample.encoded));
    CHECK(run(small_crop(), sample.encoded));
  }
}

TEST_CASE("a cut file is a defect in strict mode", "[I1][I9][I10][I12]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    CHECK(silent_cuts(sample, whole_image(), step) == 0);
  }
}

TEST_CASE("a cut is found in what a crop does not need, too", "[I1][I9][I10][I12]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    CHECK(silent_cuts(sample, small_crop(), step) == 0);
  }
}

TEST_CASE("lenient mode delivers a cut file full size, flagged, and never shows stale memory",
          "[I1]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    const auto found = deliver_cuts(sample, step);
    CHECK(found.delivered > found.tried / 8);
    CHECK(found.unflagged == 0);
    CHECK(found.stale == 0);
  }
}

TEST_CASE("rows that lenient mode cannot decode are grey", "[I1]") {
  const Encoded jpeg = encode_jpeg(pattern(64, 256));
  const Outcome outcome = run_whole(std::span(jpeg).first(jpeg.size() / 2), false);
  REQUIRE(outcome);
  const std::size_t last = outcome.row.size() - 3;
  CHECK(outcome.row[last] == outcome.row[last - 3]);
  const Encoded png = encode_png(64, 256, pattern(64, 256).values, {});
  const Outcome cut = run_whole(std::span(png).first(png.size() / 2), false);
  REQUIRE(cut);
  CHECK(cut.row[0] == pattern(64, 256).values[0]);
  CHECK(int(cut.row.back()) == 128);
}

}  // namespace weir::codec::test
