#include <algorithm>

#include "cuts.hpp"
#include "support.hpp"
#include "support/catch.hpp"

namespace weir::codec::test {
namespace {

/// Offsets of the marker in a file.
std::vector<std::size_t> places_of(std::uint8_t marker, const Encoded& jpeg) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + 1 < jpeg.size(); ++i)
    if (jpeg[i] == std::byte{0xff} && jpeg[i + 1] == std::byte{marker}) places.push_back(i);
  return places;
}

constexpr std::uint8_t start_of_scan = 0xda, huffman_tables = 0xc4;

}  // namespace

TEST_CASE("a file of several scans is delivered if cut after the first", "[I1]") {
  for (const bool arithmetic : {false, true}) {
    const auto jpeg =
        encode_jpeg(pattern(200, 150), {.progressive = true, .arithmetic = arithmetic});
    const auto scans = places_of(start_of_scan, jpeg);
    REQUIRE(scans.size() > 3);
    for (auto length = scans[1]; length < jpeg.size(); ++length) {
      const auto cut = std::span(jpeg).first(length);
      const auto lenient = run_whole(cut, false);
      CAPTURE(arithmetic, length);
      REQUIRE(lenient);
      REQUIRE(lenient.decoded->status == RowStatus::damaged);
      REQUIRE_FALSE(run_whole(cut));
    }
  }
}

TEST_CASE("bad data between two scans ends the image there", "[I1]") {
  const auto jpeg = encode_jpeg(pattern(200, 150), {.progressive = true});
  const auto scans = places_of(start_of_scan, jpeg);
  const auto tables = places_of(huffman_tables, jpeg);
  const auto table = *std::ranges::find_if(tables, [&](auto at) { return at > scans[2]; });
  auto bad = jpeg;
  bad[table + 4] = std::byte{0x7f};  // no such table
  const auto salvaged = run_whole(bad, false);
  REQUIRE(salvaged);
  CHECK(salvaged.decoded->status == RowStatus::damaged);
  CHECK(salvaged.row == run_whole(std::span(jpeg).first(table), false).row);
  CHECK_FALSE(run_whole(bad));
}

TEST_CASE("without a whole scan there is nothing to deliver", "[I1]") {
  const auto jpeg = encode_jpeg(pattern(200, 150), {.progressive = true});
  const auto first = places_of(start_of_scan, jpeg).front();
  CHECK_FALSE(run_whole(std::span(jpeg).first(first + 4), false));
}

}  // namespace weir::codec::test
