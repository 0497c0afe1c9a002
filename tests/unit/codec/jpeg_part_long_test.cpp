#include "codec/jpeg_part.hpp"

#include "made_jpegs.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/sanitized.hpp"
#include "support/skip.hpp"

namespace weir::codec::test {

TEST_CASE("windows of ten thousand files with restart markers are exact") {
  const auto all = compare_files(weir::test::thinned(10'000), 10, 300, 12, 20261125);
  CHECK(all.differ == 0);
  CHECK(all.parts > all.windows / 4);
}

TEST_CASE("restart markers leave the windows of photographs as they are") {
  const auto photos = weir::test::test_data("photos");
  if (!photos) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  Rectangles rectangles(38);
  std::size_t windows = 0, parts = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*photos)) {
    if (!entry.is_regular_file()) continue;
    const Encoded photo = read_file(entry.path());
    const auto plain = Decoder(DecoderOptions{}).probe(photo);
    REQUIRE(plain);
    CAPTURE(entry.path().string());
    for (const unsigned interval : {2u, 4u, 7u, 31u}) {
      const Encoded marked = with_restart_interval(photo, interval);
      const auto info = Decoder(DecoderOptions{}).probe(marked);
      REQUIRE(info);
      for (const std::uint32_t reduce : {1u, 1u, 2u, 4u, 8u}) {
        const PixelRect r = rectangles.next((info->width + reduce - 1) / reduce,
                                            (info->height + reduce - 1) / reduce);
        const auto one = decode_rectangle(photo, *plain, r, reduce),
                   other = decode_rectangle(marked, *info, r, reduce);
        REQUIRE(other.status);
        REQUIRE(one.pixels == other.pixels);
        const auto area = jpeg_format.need(*info, r, reduce, PixelFormat::rgb8).area;
        parts += jpeg_part(*info, area, reduce) ? 1u : 0u;
        ++windows;
      }
    }
  }
  CHECK(parts > windows / 2);
}

TEST_CASE("windows of odd and hostile JPEGs are judged as whole ones", "[I2][I6]") {
  const auto data = weir::test::test_data();
  if (!data) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  Rectangles rectangles(39);
  std::size_t parts = 0;
  for (const char* const folder : {"odd", "hostile"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(*data / folder)) {
      if (!entry.is_regular_file() || entry.file_size() > (8u << 20)) continue;
      const Encoded jpeg = read_file(entry.path());
      for (const bool strict : {true, false}) {
        const DecodeLimits limits{.max_pixels = 4u << 20};
        const auto info = Decoder(DecoderOptions{.strict = strict, .limits = limits}).probe(jpeg);
        if (!info || info->format != &jpeg_format) continue;
        for (int i = 0; i < 6; ++i) {
          const PixelRect r = rectangles.next(info->width, info->height);
          const auto area = jpeg_format.need(*info, r, 1, PixelFormat::rgb8).area;
          if (!jpeg_part(*info, area, 1)) continue;
          const auto part = decode_rectangle(jpeg, *info, r, 1, strict),
                     whole = decode_rectangle(jpeg, without_parts(*info), r, 1, strict);
          CAPTURE(entry.path().string(), strict, r.x, r.y, r.width, r.height);
          ++parts;
          REQUIRE((part.status || !whole.status));
          if (!whole.status || *whole.status != RowStatus::ok) continue;
          REQUIRE(*part.status == RowStatus::ok);
          REQUIRE(part.pixels == whole.pixels);
        }
      }
    }
  }
  CHECK(parts > 20);
}

}  // namespace weir::codec::test
