#include "cuts.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

namespace weir::codec::test {

TEST_CASE("of 21 kinds of files no cut at any byte is silent, whole image or crop", "[I1]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    CHECK(silent_cuts(sample, whole_image(), 1) == 0);
    CHECK(silent_cuts(sample, small_crop(), 1) == 0);
  }
}

TEST_CASE("of 21 kinds of files no cut at any byte shows stale memory in lenient mode", "[I1]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    const auto found = deliver_cuts(sample, 1);
    CHECK(found.delivered > found.tried / 8);
    CHECK(found.unflagged == 0);
    CHECK(found.stale == 0);
  }
}

TEST_CASE("no photograph cut anywhere passes in silence", "[I1]") {
  const auto photos = weir::test::test_data("photos");
  if (!photos) {
    WARN("WEIR_TEST_DATA is not set");
    return;
  }
  const DecoderOptions crop{.fit = {.out = {64, 64, 3}, .fit = Fit::center}};
  std::size_t taken = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*photos)) {
    if (!entry.is_regular_file() || ++taken > 20) continue;
    CAPTURE(entry.path());
    CHECK(silent_cuts({"photo", read_file(entry.path())}, crop, 997) == 0);
  }
}

}  // namespace weir::codec::test
