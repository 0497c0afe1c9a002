#include "cuts.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

constexpr std::size_t step = 23;  // truncation_long_test tests all

bool named(const Sample& sample, std::string_view part) {
  return sample.name.find(part) != std::string::npos;
}

/// True if each scan or pass covers the whole image. If the last one ends early, the rows below
/// come from the scans before, and none is missing.
bool fills_in(const Sample& sample) {
  return named(sample, "progressive") || named(sample, "interlaced");
}

/// libjpeg fills missing blocks without coefficients: 128 in each component. For CMYK that is half
/// the light through half the black, (128 * 128 + 127) / 255.
int fill_of(const Sample& sample) { return named(sample, "CMYK") ? 64 : 128; }

/// The rows that a cut affects: one row of blocks. With chroma at half the size, upsampling reads
/// chroma on either side, so there are two more.
std::ptrdiff_t blocks_of(const Sample& sample) {
  if (!named(sample, "JPEG")) return 0;
  return named(sample, "4:4:4") || named(sample, "grey") || named(sample, "CMYK") ? 8 : 18;
}

std::vector<Pixels> rows_of(const Outcome& outcome) {
  REQUIRE(outcome);
  std::vector<Pixels> rows;
  const auto stride = static_cast<std::ptrdiff_t>(outcome.info->width) * 3;
  for (auto at = outcome.row.begin(); at != outcome.row.end(); at += stride)
    rows.emplace_back(at, at + stride);
  return rows;
}

}  // namespace

TEST_CASE("the 21 kinds of files to be cut are all sound", "[I1]") {
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

TEST_CASE("a cut is found in what a crop does not need", "[I1][I9][I10][I12]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    CHECK(silent_cuts(sample, small_crop(), step) == 0);
  }
}

TEST_CASE("lenient mode flags every cut file and shows no stale memory", "[I1]") {
  for (const auto& sample : every_kind()) {
    CAPTURE(sample.name);
    const auto found = deliver_cuts(sample, step, each_fit());
    CHECK(found.delivered > found.tried / 8);
    CHECK(found.unflagged == 0);
    CHECK(found.stale == 0);
  }
}

TEST_CASE("rows that lenient mode cannot decode are grey", "[I1]") {
  for (const auto& sample : every_kind(40, 256)) {
    if (fills_in(sample)) continue;
    CAPTURE(sample.name);
    const auto whole = rows_of(run_whole(sample.encoded));
    const int fill = fill_of(sample);
    int delivered = 0;
    for (std::size_t eighths = 3; eighths < 8; ++eighths) {
      CAPTURE(eighths);
      const auto cut = std::span(sample.encoded).first(sample.encoded.size() * eighths / 8);
      const Outcome outcome = run_whole(cut, false);
      if (!outcome) continue;  // no pixel yet: WebP stores all alpha before the colours
      ++delivered;
      CHECK(outcome.decoded->status == RowStatus::damaged);
      const auto rows = rows_of(outcome);
      REQUIRE(rows.size() == whole.size());
      const auto missing = [fill](const Pixels& row) {
        return std::ranges::all_of(row, [fill](int value) { return value == fill; });
      };
      const auto first = std::ranges::find_if(rows, missing);
      CHECK(missing(rows.back()));
      CHECK(std::all_of(first, rows.end(), missing));
      // The rows above equal those of the whole image, except the blocks of the cut and rows that depend on them.
      const auto same = std::ranges::mismatch(rows, whole).in1;
      CHECK(same != rows.begin());
      CHECK(first - same <= blocks_of(sample));
    }
    CHECK(delivered >= 2);
  }
}

TEST_CASE("pixels of an interlaced PNG are the image's or grey", "[I1]") {
  const auto samples = every_kind(40, 256);
  const auto sample = std::ranges::find(samples, "PNG, interlaced", &Sample::name);
  REQUIRE(sample != samples.end());
  const Pixels whole = run_whole(sample->encoded).row;
  std::ptrdiff_t before = -1;
  for (std::size_t eighths = 1; eighths < 8; ++eighths) {
    CAPTURE(eighths);
    const auto cut = std::span(sample->encoded).first(sample->encoded.size() * eighths / 8);
    const Outcome outcome = run_whole(cut, false);
    REQUIRE(outcome);
    std::ptrdiff_t others = 0, grey = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      if (outcome.row[i] == 128)
        ++grey;
      else if (outcome.row[i] != whole[i])
        ++others;
    }
    CHECK(others == 0);
    if (before >= 0) CHECK(grey < before);
    before = grey;
  }
}

}  // namespace weir::codec::test
