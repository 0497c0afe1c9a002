#include "codec/jpeg_tiles.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "made_jpegs.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"
#include "support/temporary_folder.hpp"
#include "tiled.hpp"

namespace weir::codec::test {
namespace {

/// libjpeg-turbo's own program. It has no code of weir's.
class Djpeg {
 public:
  bool is_there() const { return run("-version 2>&1").has_value(); }
  /// What it prints for a file. Nothing if it fails.
  std::optional<std::string> operator()(const Encoded& jpeg) const {
    const auto file = folder_.write(
        "in.jpg", std::string_view(reinterpret_cast<const char*>(jpeg.data()), jpeg.size()));
    return run(file + " 2>/dev/null");
  }

 private:
  static std::optional<std::string> run(const std::string& arguments) {
    FILE* const pipe = popen(("exec djpeg " + arguments).c_str(), "r");
    if (pipe == nullptr) return std::nullopt;
    std::string text;
    char buffer[1 << 16];
    for (std::size_t got = 0; (got = fread(buffer, 1, sizeof(buffer), pipe)) > 0;)
      text.append(buffer, got);
    if (pclose(pipe) != 0) return std::nullopt;
    return text;
  }
  weir::test::TemporaryFolder folder_;
};

bool lacks(const Djpeg& djpeg) {
  if (djpeg.is_there()) return false;
  weir::test::skip("there is no djpeg (libjpeg-turbo-progs)");
  return true;
}

/// Each sampling, size, quality and coding, sometimes with restart intervals.
MadeJpeg draw_any(std::mt19937& random) {
  MadeJpeg made = draw_jpeg(random, 70);
  if (random() % 3 == 0) made.style.restart_interval = 0;
  made.style.progressive = random() % 6 == 0;
  made.style.arithmetic = random() % 6 == 0;
  if (made.style.arithmetic) made.style.optimize = false;
  made.style.adobe_cmyk = random() % 2 == 0;
  return made;
}

struct Found {
  std::size_t tiled = 0, kept = 0, before = 0, after = 0;
};

/// All JPEGs of a folder that decode without a defect.
Found compare_all(const std::filesystem::path& folder, std::uint32_t tiles,
                  const Djpeg* djpeg = nullptr) {
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
    if (djpeg != nullptr) REQUIRE((*djpeg)(jpeg) == (*djpeg)(*written));
    ++found.tiled;
    found.before += jpeg.size();
    found.after += written->size();
  }
  return found;
}

/// Calls `check(jpeg, tiled)` for ten thousand made files. Returns their number.
template <class Check>
std::uint64_t for_each_made(std::mt19937& random, Check check) {
  const auto files = weir::test::thinned(10'000);
  for (std::uint64_t i = 0; i < files; ++i) {
    const MadeJpeg made = draw_any(random);
    const Encoded jpeg = encode_jpeg(pattern(made.width, made.height, made.channels), made.style);
    const auto tiles = static_cast<std::uint32_t>(1 + random() % 20);
    CAPTURE(made.width, made.height, made.channels, made.style.sampling, made.style.rows,
            made.style.chroma, made.style.quality, made.style.restart_interval,
            made.style.progressive, made.style.arithmetic, tiles);
    const auto written = tiled_jpeg(jpeg, *Decoder(DecoderOptions{}).probe(jpeg), tiles);
    REQUIRE(written);
    check(jpeg, *written);
  }
  return files;
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

TEST_CASE("windows of ten thousand files with tiles are exact") {
  std::mt19937 random(20261126);
  Compared all;
  std::uint64_t whole = 0;
  const auto files = for_each_made(random, [&](const Encoded& jpeg, const Encoded& tiled) {
    whole += reference_jpeg(jpeg).values == reference_jpeg(tiled).values ? 1u : 0u;
    const auto found = compare_windows(tiled, jpeg, 6, random);
    REQUIRE(found.differ == 0);
    all.windows += found.windows;
    all.parts += found.parts;
  });
  CHECK(whole == files);
  CHECK(all.parts > all.windows / 4);
}

TEST_CASE("djpeg prints the same for ten thousand files with tiles") {
  const Djpeg djpeg;
  if (lacks(djpeg)) return;
  std::mt19937 random(20261127);
  std::uint64_t printed = 0;
  const auto files = for_each_made(random, [&](const Encoded& jpeg, const Encoded& tiled) {
    const auto before = djpeg(jpeg);
    REQUIRE(before == djpeg(tiled));
    printed += before ? 1u : 0u;
  });
  CHECK(printed == files);
}

TEST_CASE("djpeg prints the same for photographs with tiles") {
  const Djpeg djpeg;
  const auto photos = weir::test::test_data("photos"), odd = weir::test::test_data("odd");
  if (lacks(djpeg)) return;
  if (!photos || !odd) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  CHECK(compare_all(*photos, 16, &djpeg).tiled > 100);
  CHECK(compare_all(*odd, 16, &djpeg).tiled > 50);
}

}  // namespace weir::codec::test
