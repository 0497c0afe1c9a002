#include "cuts.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

namespace weir::codec::test {
namespace {

std::vector<Sample> every_file() {
  auto samples = every_kind();
  const auto more = more_jpegs();
  samples.insert(samples.end(), more.begin(), more.end());
  return samples;
}

// Not at every byte: these settings change pixels, but not which pixels are available.
constexpr std::size_t other_step = 7;

}  // namespace

TEST_CASE("no cut at any byte of a file is silent, whole or cropped", "[I1]") {
  const auto samples = every_file();
  CHECK(samples.size() == 28 + 10 + 3);
  for (const auto& sample : samples) {
    CAPTURE(sample.name);
    CHECK(run(whole_image(), sample.encoded));
    CHECK(silent_cuts(sample, whole_image(), 1) == 0);
    CHECK(silent_cuts(sample, small_crop(), 1) == 0);
    for (const auto& options : other_settings())
      CHECK(silent_cuts(sample, options, other_step) == 0);
  }
}

TEST_CASE("no cut at any byte shows stale memory in lenient mode", "[I1]") {
  for (const auto& sample : every_file()) {
    CAPTURE(sample.name);
    const auto found = deliver_cuts(sample, 1, each_fit());
    CHECK(found.delivered > found.tried / 20);  // in the smallest files, most is the header
    CHECK(found.unflagged == 0);
    CHECK(found.stale == 0);
  }
}

TEST_CASE("no cut shows stale memory for reduced or filtered images", "[I1]") {
  for (const auto& sample : every_file()) {
    CAPTURE(sample.name);
    const auto found = deliver_cuts(sample, other_step, other_settings());
    CHECK(found.delivered > 0);
    CHECK(found.unflagged == 0);
    CHECK(found.stale == 0);
  }
}

TEST_CASE("no photograph cut anywhere passes in silence", "[I1]") {
  const auto photos = weir::test::test_data("photos");
  if (!photos) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  const DecoderOptions crop{.fit = {.out = {64, 64}, .fit = Fit::center}};
  std::size_t taken = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*photos)) {
    if (!entry.is_regular_file() || ++taken > 20) continue;
    CAPTURE(entry.path());
    CHECK(silent_cuts({"photo", read_file(entry.path())}, crop, 997) == 0);
  }
}

}  // namespace weir::codec::test
