#include "codec/jpeg_tiles.hpp"

#include <array>
#include <string_view>

#include "codec/jpeg_part.hpp"
#include "made_jpegs.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "tiled.hpp"

namespace weir::codec::test {
namespace {

ImageInfo info_of(const Encoded& jpeg) {
  const auto info = Decoder(DecoderOptions{}).probe(jpeg);
  if (!info) FAIL(info.defect().reason);
  return *info;
}

std::optional<Encoded> tiled(const Encoded& jpeg, std::uint32_t tiles = 4) {
  return tiled_jpeg(jpeg, info_of(jpeg), tiles);
}

bool same_pixels(const Encoded& a, const Encoded& b) {
  const Raster one = reference_jpeg(a), other = reference_jpeg(b);
  return one.values == other.values && one.adobe == other.adobe;
}

/// The marker segments before the first scan whose marker is APPn or COM, with their bytes.
std::vector<Encoded> segments_of(const Encoded& jpeg) {
  std::vector<Encoded> found;
  const Bytes bytes(jpeg);
  for (std::size_t at = 2; bytes.u8(at + 1) != 0xda; at += 2 + bytes.be16(at + 2)) {
    const auto begin = jpeg.begin() + static_cast<std::ptrdiff_t>(at);
    const unsigned marker = bytes.u8(at + 1);
    if (marker >= 0xe0)
      found.emplace_back(begin, begin + 2 + static_cast<std::ptrdiff_t>(bytes.be16(at + 2)));
  }
  return found;
}

Encoded segment(unsigned marker, std::string_view text, std::size_t bytes) {
  Encoded made{std::byte{0xff}, std::byte(marker), std::byte((bytes + 2) >> 8),
               std::byte((bytes + 2) & 255)};
  for (std::size_t i = 0; i < bytes; ++i)
    made.push_back(i < text.size() ? std::byte(text[i]) : std::byte(i * 7));
  return made;
}

Encoded with_segments(const Encoded& jpeg, const std::vector<Encoded>& segments) {
  Encoded made(jpeg.begin(), jpeg.begin() + 2);
  for (const auto& each : segments) made.insert(made.end(), each.begin(), each.end());
  made.insert(made.end(), jpeg.begin() + 2, jpeg.end());
  return made;
}

/// The file to before its SOS number `scan`, counted from 0, and EOI.
Encoded cut_before_scan(const Encoded& jpeg, int scan) {
  for (std::size_t at = 2, seen = 0; at + 1 < jpeg.size(); ++at) {
    if (jpeg[at] != std::byte{0xff} || jpeg[at + 1] != std::byte{0xda}) continue;
    if (static_cast<int>(seen++) != scan) continue;
    Encoded cut(jpeg.begin(), jpeg.begin() + static_cast<std::ptrdiff_t>(at));
    cut.insert(cut.end(), {std::byte{0xff}, std::byte{0xd9}});
    return cut;
  }
  FAIL("the file has fewer scans");
  return {};
}

}  // namespace

TEST_CASE("a JPEG with tiles has the pixels of its original") {
  std::mt19937 random(38);
  std::size_t entered = 0;
  const auto files = weir::test::thinned(500);
  for (std::uint64_t i = 0; i < files; ++i) {
    MadeJpeg made = draw_jpeg(random, i % 8 == 0 ? 300 : 70);
    made.style.progressive = random() % 4 == 0;
    made.style.arithmetic = random() % 4 == 0;
    if (made.style.arithmetic) made.style.optimize = false;
    made.style.rgb = made.channels == 3 && made.style.sampling == 1 && random() % 2 == 0;
    made.style.ycck = made.channels == 4 && random() % 2 == 0;
    made.style.adobe_cmyk = random() % 2 == 0 || made.style.ycck;
    if (random() % 3 == 0) made.style.restart_interval = 0;
    const auto tiles = static_cast<std::uint32_t>(1 + random() % 20);
    CAPTURE(made.width, made.height, made.channels, made.style.sampling, made.style.rows,
            made.style.chroma, made.style.progressive, made.style.arithmetic, made.style.quality,
            tiles, made.style.rgb, made.style.ycck, made.style.optimize);
    const Encoded jpeg = encode_jpeg(pattern(made.width, made.height, made.channels), made.style);
    const auto written = tiled(jpeg, tiles);
    REQUIRE(written);
    REQUIRE(same_pixels(jpeg, *written));
    REQUIRE(segments_of(jpeg) == segments_of(*written));
    // weir enters it, unless its segments are almost empty.
    const auto layout = info_of(*written).layout.get<JpegLayout>();
    CHECK_FALSE(layout.several_scans);
    if (layout.restart_interval == 0) continue;
    CHECK(layout.restart_interval == plan_tiles(info_of(jpeg), jpeg.size(), tiles).interval);
    ++entered;
  }
  CHECK(entered > files / 2);
}

TEST_CASE("the number of tiles is the nearest that divides the row") {
  struct Case {
    std::uint32_t width, tiles, found;
  };
  for (const auto& [width, tiles, found] : {Case{512, 16, 16},
                                            {500, 16, 16},
                                            {333, 16, 21},
                                            {22 * 16, 16, 22},  // 22 : 16 is less than 16 : 11
                                            {26 * 16, 16, 13},
                                            {496, 16, 31},
                                            {37 * 16, 16, 1},  // 37 are too many
                                            {16, 16, 1},
                                            {1, 16, 1},
                                            {2040, 16, 16},
                                            {4000, 16, 25},
                                            {4000, 8, 10},
                                            {9 * 16, 4, 3},
                                            {12 * 16, 5, 6},
                                            {4000, 1, 1},
                                            {4000, UINT32_MAX, 250}}) {
    const auto plan = plan_tiles(info_of(encode_jpeg(pattern(width, 16))), 1000, tiles);
    CAPTURE(width, tiles);
    CHECK(plan.tiles == found);
    CHECK(plan.tiles * plan.interval == (width + 15) / 16);
  }
}

TEST_CASE("a JPEG with tiles keeps EXIF, ICC and other segments") {
  const Encoded jpeg = encode_jpeg(pattern(120, 90), {.progressive = true});
  const Encoded marked =
      with_segments(jpeg, {segment(0xe1, std::string_view("Exif\0\0", 6), 65'533),
                           segment(0xe2, std::string_view("ICC_PROFILE\0\1\1", 14), 3000),
                           segment(0xed, "Photoshop 3.0", 100), segment(0xfe, "a comment", 9),
                           segment(0xe0, "JFXX", 200), segment(0xef, "", 0)});
  const auto written = tiled(marked);
  REQUIRE(written);
  CHECK(segments_of(*written).size() == 7);
  CHECK(segments_of(*written) == segments_of(marked));
  CHECK(same_pixels(*written, jpeg));
  const auto turned = tiled(with_exif(jpeg, 6));
  REQUIRE(turned);
  CHECK(info_of(*turned).orientation == 6);

  // Nothing is added: Adobe's marker would turn the colours of a CMYK file that has none.
  const Encoded cmyk = encode_jpeg(pattern(64, 40, 4), {.adobe_cmyk = false});
  CHECK(segments_of(cmyk).empty());
  const auto ink = tiled(cmyk);
  REQUIRE(ink);
  CHECK(segments_of(*ink).empty());

  // Segments between scans would make the header longer than its limits.
  Encoded later = cut_before_scan(jpeg, 2);
  const auto rest = later.size() - 2;
  later.resize(rest);
  const Encoded comment = segment(0xfe, "later", 5);
  later.insert(later.end(), comment.begin(), comment.end());
  later.insert(later.end(), jpeg.begin() + static_cast<std::ptrdiff_t>(rest), jpeg.end());
  const auto without = tiled(later);
  REQUIRE(without);
  CHECK(segments_of(*without) == segments_of(jpeg));

  // As many segments as the limits allow.
  const auto many = tiled(with_segments(jpeg, std::vector<Encoded>(900, segment(0xfe, "x", 1))));
  REQUIRE(many);
  CHECK(segments_of(*many).size() == 901);
}

TEST_CASE("tiles and optimised tables make a JPEG little larger") {
  const Encoded standard = encode_jpeg(pattern(512, 384)),
                optimised = encode_jpeg(pattern(512, 384), {.optimize = true});
  const auto plain = tiled(standard, 16), other = tiled(optimised, 16);
  REQUIRE(plain);
  REQUIRE(other);
  CHECK(*plain == *other);
  CHECK(plain->size() > optimised.size());
  CHECK(plain->size() < standard.size() * 21 / 20);
  // Once more changes nothing.
  CHECK(tiled(*plain, 16) == plain);
}

TEST_CASE("a JPEG that cannot have tiles stays as it is") {
  const Raster image = pattern(200, 120);
  const Encoded progressive = encode_jpeg(image, {.progressive = true});
  REQUIRE(tiled(progressive));
  for (int scan = 1; scan < 6; ++scan) {
    // A decoder smooths between its blocks.
    CAPTURE(scan);
    CHECK_FALSE(tiled(cut_before_scan(progressive, scan)));
  }
  Encoded damaged = encode_jpeg(image);
  REQUIRE(tiled(damaged));
  const auto info = info_of(damaged);
  damaged.insert(damaged.end() - 2, 20, std::byte{0x55});
  CHECK_FALSE(tiled_jpeg(damaged, info, 4));
  for (const std::size_t size : {damaged.size() - 22, damaged.size() / 2, std::size_t{700}}) {
    damaged.resize(size);
    CHECK_FALSE(tiled_jpeg(damaged, info, 4));
  }
}

TEST_CASE("no JPEG becomes longer than its plan says") {
  const Encoded jpeg = encode_jpeg(pattern(400, 300));
  const auto info = info_of(jpeg);
  TilePlan plan = plan_tiles(info, jpeg.size(), 16);
  const Scratch scratch(plan.work_bytes);
  Encoded out(static_cast<std::size_t>(plan.most_bytes));
  const auto write = [&](std::size_t most, bool cancelled) {
    const std::atomic<bool> stop{cancelled};
    return write_tiles(jpeg, plan, scratch, std::span(out).first(most), stop);
  };
  const auto written = write(out.size(), false);
  REQUIRE(written);
  // libjpeg asks for more memory as soon as there is none left.
  CHECK(write(written->size() + 1, false));
  CHECK_FALSE(write(written->size(), false));
  CHECK_FALSE(write(0, false));
  CHECK_FALSE(write(out.size(), true));
  // The memory of coefficients is in the plan.
  CHECK(plan.work_bytes > 400 * 300 * 3);
  const auto small = write_tiles(jpeg, plan, std::span<std::byte>(scratch).first(300'000), out,
                                 std::atomic<bool>{false});
  CHECK_FALSE(small);
}

TEST_CASE("any bytes for tiles end without a fault of memory", "[I2]") {
  const std::array originals{encode_jpeg(pattern(90, 70)),
                             encode_jpeg(pattern(90, 70), {.progressive = true}),
                             encode_jpeg(pattern(90, 70), {.arithmetic = true}),
                             encode_jpeg(pattern(90, 70), {.restart_interval = 2})};
  std::mt19937 random(5);
  std::size_t written = 0;
  for (std::uint64_t i = 0; i < weir::test::thinned(600); ++i) {
    Encoded jpeg = originals[i % originals.size()];
    const auto info = info_of(jpeg);
    for (auto n = 1 + random() % 4; n > 0; --n)
      jpeg[random() % jpeg.size()] = std::byte(random() & 255);
    // With the plan of the sound file, as if the header had lied.
    const auto made = tiled_jpeg(jpeg, info, 4);
    if (!made) continue;
    ++written;
    const auto probed = Decoder(DecoderOptions{}).probe(jpeg);
    if (probed && reference_strict(jpeg)) CHECK(same_pixels(jpeg, *made));
  }
  CHECK(written > 10);
}

}  // namespace weir::codec::test
