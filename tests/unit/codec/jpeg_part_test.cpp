#include "codec/jpeg_part.hpp"

#include "damaged_restarts.hpp"
#include "made_jpegs.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

namespace weir::codec::test {
namespace {

bool same_verdict(const DecodedRectangle& a, const DecodedRectangle& b) {
  if (bool(a.status) != bool(b.status)) return false;
  if (a.status) return *a.status == *b.status && a.pixels == b.pixels;
  const Defect &one = a.status.defect(), &other = b.status.defect();
  return one.kind == other.kind && one.reason == other.reason && one.offset == other.offset;
}

}  // namespace

TEST_CASE("a window of a JPEG with restart markers is exact") {
  const auto all = compare_files(weir::test::thinned(300), 4, 200, 4, 38);
  CHECK(all.differ == 0);
  CHECK(all.parts > all.windows / 4);
}

TEST_CASE("a window decodes only the segments that it needs") {
  const Encoded jpeg = marked_jpeg();
  const auto info = Decoder(DecoderOptions{}).probe(jpeg);
  REQUIRE(info);
  const auto segments = marked_segments(jpeg);
  REQUIRE(segments.size() == 24);
  // The MCUs from column 2 to 3, and with the lines around from row 1 to 4: segments 5, 9, 13, 17.
  const PixelRect window{40, 32, 19, 32};
  const auto sound = decode_rectangle(jpeg, *info, window);
  REQUIRE(sound.status);
  std::vector<std::size_t> read;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    Encoded damaged = jpeg;
    const auto [begin, end] = segments[i];
    std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(begin),
              damaged.begin() + static_cast<std::ptrdiff_t>(end), std::byte{0x55});
    const auto found = decode_rectangle(damaged, *info, window);
    if (!same_verdict(found, sound)) read.push_back(i);
  }
  CHECK(read == std::vector<std::size_t>{5, 9, 13, 17});
}

TEST_CASE("an interval that divides no row leads to rows of a JPEG") {
  // Rows of 10 MCUs, segments of 4: one begins with each second row.
  const Encoded jpeg = encode_jpeg(pattern(80, 96, 1), {.restart_interval = 4});
  const auto info = Decoder(DecoderOptions{}).probe(jpeg);
  REQUIRE(info);
  const auto part = jpeg_part(*info, {32, 60, 8, 8}, 1);
  REQUIRE(part);
  CHECK(part->left == 0);
  CHECK(part->top == 48);
  CHECK(part->info.width == 80);
  CHECK(part->info.height == 32);
  CHECK(part->first == 15);
  CHECK(part->offsets() == 11);
}

TEST_CASE("no part of a JPEG is entered if it saves nothing") {
  const auto info_of = [](const Encoded& jpeg) {
    const auto info = Decoder(DecoderOptions{}).probe(jpeg);
    REQUIRE(info);
    return *info;
  };
  const PixelRect window{48, 48, 8, 8};
  const Raster image = pattern(128, 96);
  CHECK(jpeg_part(info_of(marked_jpeg()), window, 1));
  CHECK_FALSE(jpeg_part(info_of(marked_jpeg()), {0, 0, 128, 96}, 1));
  CHECK_FALSE(jpeg_part(info_of(marked_jpeg()), {0, 0, 128, 16}, 1));
  for (const JpegStyle style : {JpegStyle{},
                                {.restart_interval = 48},
                                {.restart_interval = 65'535},
                                {.progressive = true, .restart_interval = 2},
                                {.arithmetic = true, .restart_interval = 2}})
    CHECK_FALSE(jpeg_part(info_of(encode_jpeg(image, style)), window, 1));
}

TEST_CASE("an image has as many tiles as a window can begin at") {
  const auto tiles = [](std::uint32_t width, unsigned interval) {
    const auto jpeg = encode_jpeg(pattern(width, 96), {.restart_interval = interval});
    return tiles_across(*Decoder(DecoderOptions{}).probe(jpeg));
  };
  CHECK(tiles(128, 0) == 0);
  CHECK(tiles(128, 2) == 4);
  CHECK(tiles(128, 8) == 1);
  CHECK(tiles(128, 3) == 1);
  CHECK(tiles(128, 40) == 1);
  CHECK(tiles(128, 48) == 0);
  CHECK(tiles_across(
            *Decoder(DecoderOptions{}).probe(encode_png(8, 8, pattern(8, 8).values, {}))) == 0);
}

TEST_CASE("a small file cannot claim a long list of segments") {
  Encoded jpeg = encode_jpeg(pattern(16, 16, 1), {.restart_interval = 1});
  const auto size = frame_header(jpeg) + 5;
  jpeg[size] = jpeg[size + 2] = std::byte{8};  // 2,064 x 2,064 pixels
  const auto info = Decoder(DecoderOptions{.strict = false}).probe(jpeg);
  REQUIRE(info);
  CHECK(info->layout.get<JpegLayout>().restart_interval == 0);
}

TEST_CASE("no window needs more memory than the whole image") {
  for (const unsigned interval : {1u, 2u, 8u, 5u, 16u}) {
    const Encoded jpeg = encode_jpeg(pattern(128, 96), {.restart_interval = interval});
    const auto info = Decoder(DecoderOptions{}).probe(jpeg);
    REQUIRE(info);
    const auto bytes = [&](const PixelRect& window) {
      return jpeg_format.need(*info, window, 1, PixelFormat::rgb8).arena_bytes;
    };
    const auto whole = bytes({0, 0, 128, 96});
    CAPTURE(interval);
    for (const PixelRect& window :
         {PixelRect{0, 0, 96, 96}, {0, 17, 128, 79}, {40, 40, 1, 1}, {16, 0, 112, 96}})
      CHECK(bytes(window) <= whole);
  }
}

TEST_CASE("wrong restart markers are judged as in a whole decode", "[I2][I6]") {
  Rectangles rectangles(5);
  std::size_t tried = 0;
  for (const auto& [name, jpeg] : damaged_restarts()) {
    for (const bool strict : {true, false}) {
      const auto info = Decoder(DecoderOptions{.strict = strict}).probe(jpeg);
      if (!info) continue;
      for (int i = 0; i < 8; ++i) {
        const PixelRect r = rectangles.next(info->width, info->height);
        const auto now = decode_rectangle(jpeg, *info, r, 1, strict),
                   today = decode_rectangle(jpeg, without_parts(*info), r, 1, strict);
        CAPTURE(name, strict, r.x, r.y, r.width, r.height);
        CHECK(same_verdict(now, today));
        ++tried;
      }
    }
  }
  CHECK(tried > 600);
}

TEST_CASE("damage that a window needs is judged as in a whole decode", "[I2][I6]") {
  const Encoded good = marked_jpeg();
  const auto segments = marked_segments(good);
  Rectangles rectangles(6);
  std::mt19937 random(7);
  std::size_t found = 0, unseen = 0;
  for (std::uint64_t n = 0; n < weir::test::thinned(400); ++n) {
    Encoded jpeg = good;
    const auto [begin, end] = segments[random() % segments.size()];
    switch (random() % 4) {
      case 0: insert_bytes(jpeg, end, {0xff}); break;  // fill bytes before a marker are allowed
      case 1: insert_bytes(jpeg, end, {0xff, 0}); break;
      case 2: jpeg.insert(jpeg.begin() + static_cast<std::ptrdiff_t>(end), 20, std::byte{}); break;
      default: jpeg[begin + random() % (end - begin)] ^= std::byte(1u << random() % 8);
    }
    for (const bool strict : {true, false}) {
      const auto info = Decoder(DecoderOptions{.strict = strict}).probe(jpeg);
      REQUIRE(info);
      const PixelRect r = rectangles.next(info->width, info->height);
      const auto now = decode_rectangle(jpeg, *info, r, 1, strict),
                 today = decode_rectangle(jpeg, without_parts(*info), r, 1, strict);
      CAPTURE(n, strict, r.x, r.y, r.width, r.height);
      if (today.status && *today.status == RowStatus::ok) {
        CHECK(same_verdict(now, today));
      } else if (!same_verdict(now, today)) {
        // The damage is elsewhere.
        REQUIRE(now.status);
        CHECK(*now.status == RowStatus::ok);
        if (today.status) CHECK(now.pixels == today.pixels);
        ++unseen;
      } else {
        ++found;
      }
    }
  }
  CHECK(found > 0);
  CHECK(unseen > 0);
}

TEST_CASE("each fit of a JPEG with restart markers equals one without") {
  // The same coefficients, with and without markers.
  const Raster image = pattern(330, 250);
  const Encoded plain = encode_jpeg(image), marked = encode_jpeg(image, {.restart_interval = 3});
  for (const Fit fit : {Fit::center, Fit::stretch, Fit::letterbox, Fit::random, Fit::patch}) {
    for (const Decode decode : {Decode::exact, Decode::fast}) {
      for (const Filter filter : {Filter::bilinear, Filter::antialiased}) {
        for (const std::uint8_t exif : Pixels{1, 6}) {
          const DecoderOptions options{.fit = {.out = {40, 56}, .fit = fit, .short_side = 50},
                                       .filter = filter,
                                       .decode = decode};
          for (std::uint64_t draw = 0; draw < 3; ++draw) {
            CAPTURE(int(fit), int(decode), int(filter), int(exif), draw);
            const Outcome one = run(options, with_exif(plain, exif), draw),
                          other = run(options, with_exif(marked, exif), draw);
            REQUIRE(one);
            REQUIRE(other);
            CHECK(one.row == other.row);
          }
        }
      }
    }
  }
}

}  // namespace weir::codec::test
