#include "codec/jpeg_tiles.hpp"

#include <filesystem>

#include "encoders.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "tiled.hpp"

namespace weir::codec::test {
namespace {

struct Found {
  std::size_t tiled = 0, kept = 0, before = 0, after = 0;
};

/// All JPEGs of a folder that decode without a defect.
Found compare_all(const std::filesystem::path& folder, std::uint32_t tiles) {
  Found found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const Encoded jpeg = read_file(entry.path());
    const auto info = Decoder(DecoderOptions{}).probe(jpeg);
    if (!info || info->format != &jpeg_format) continue;
    const auto reference = reference_strict(jpeg);
    const auto written = tiled_jpeg(jpeg, *info, tiles);
    CAPTURE(entry.path().string());
    if (!reference || !written) {
      ++found.kept;
      if (reference) UNSCOPED_INFO("kept, though it decodes: " << entry.path().string());
      continue;
    }
    REQUIRE(reference->values == reference_jpeg(*written).values);
    ++found.tiled;
    found.before += jpeg.size();
    found.after += written->size();
  }
  return found;
}

}  // namespace

TEST_CASE("photographs with tiles have the pixels of the originals") {
  const auto photos = weir::test::test_data("photos");
  if (!photos) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  for (const std::uint32_t tiles : {8u, 16u}) {
    const auto found = compare_all(*photos, tiles);
    CAPTURE(tiles, found.tiled, found.kept, found.before, found.after);
    CHECK(found.kept == 0);
    CHECK(found.tiled > 100);
    CHECK(found.after < found.before * 21 / 20);
  }
}

TEST_CASE("odd JPEGs with tiles have the pixels of the originals") {
  const auto odd = weir::test::test_data("odd");
  if (!odd) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  const auto found = compare_all(*odd, 16);
  CAPTURE(found.tiled, found.kept);
  CHECK(found.tiled > 50);
}

}  // namespace weir::codec::test
