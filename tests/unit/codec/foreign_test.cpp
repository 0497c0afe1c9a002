#include <memory>

#include "encoders.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"
#include "tiff_bytes.hpp"
#ifdef WEIR_HAS_OPENCV_CODEC
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>

#include "weir/interop/opencv_codec.hpp"
#endif

namespace weir::codec::test {
namespace {

/// "XY", width, height, then RGB.
class Toy final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte> head) const noexcept override {
    return head.size() >= 4 && head[0] == std::byte{'X'} && head[1] == std::byte{'Y'};
  }
  Info info(std::span<const std::byte> encoded) const override {
    if (encoded[2] == std::byte{255}) throw SampleError(FaultKind::limit, "toy\nlimit");
    return {std::to_integer<std::uint32_t>(encoded[2]), std::to_integer<std::uint32_t>(encoded[3]),
            77};
  }
  void decode(PixelFormat, std::span<const std::byte> encoded, const Info& info,
              std::span<std::uint8_t> rgb) const override {
    REQUIRE(info.scratch_bytes == 77);
    if (encoded.size() < 4 + rgb.size()) throw SampleError(FaultKind::truncated, "toy is cut");
    std::memcpy(rgb.data(), encoded.data() + 4, rgb.size());
  }
};

Encoded toy(const Raster& raster) {
  Pixels bytes{'X', 'Y', static_cast<std::uint8_t>(raster.width),
               static_cast<std::uint8_t>(raster.height)};
  bytes.insert(bytes.end(), raster.values.begin(), raster.values.end());
  return to_bytes(bytes);
}

/// Delivers one value of 16 bits, grey or stored, and nothing else.
class Deep final : public ForeignCodec {
 public:
  bool accepts(std::span<const std::byte>) const noexcept override { return true; }
  Info info(std::span<const std::byte>) const override { return {1, 1, 0}; }
  bool writes(PixelFormat format) const noexcept override {
    return format == PixelFormat::grey16 || format == PixelFormat::stored16;
  }
  void decode(PixelFormat, std::span<const std::byte>, const Info&,
              std::span<std::uint8_t> pixels) const override {
    REQUIRE(pixels.size() == 2);
    pixels[0] = 1;
    pixels[1] = 2;
  }
};

}  // namespace

TEST_CASE("a foreign codec delivers its formats, and grey8 and bgr8") {
  const auto with = [](std::shared_ptr<const ForeignCodec> codec, PixelFormat format,
                       const Encoded& encoded) {
    return run({.fit = own_size, .pixels = format, .codecs = {std::move(codec)}}, encoded);
  };
  const Raster image = pattern(20, 10);
  const auto grey = with(std::make_shared<const Toy>(), PixelFormat::grey8, toy(image));
  const auto bgr = with(std::make_shared<const Toy>(), PixelFormat::bgr8, toy(image));
  REQUIRE((grey && bgr));
  for (std::size_t i = 0; i < grey.row.size(); ++i) {
    const auto* const v = &image.values[3 * i];
    CHECK(grey.row[i] == (19595u * v[0] + 38470u * v[1] + 7471u * v[2] + 32768u) >> 16);
    CHECK((bgr.row[3 * i] == v[2] && bgr.row[3 * i + 2] == v[0]));
  }
  for (const auto format : {PixelFormat::rgba8, PixelFormat::rgb16, PixelFormat::stored8})
    CHECK(with(std::make_shared<const Toy>(), format, toy(image)).defect().reason ==
          concat("its codec does not write ", to_string(format), "; use rgb8"));
  const auto deep = with(std::make_shared<const Deep>(), PixelFormat::grey16, toy(image));
  REQUIRE(deep);
  CHECK(deep.row == Pixels{1, 2});
  CHECK_FALSE(with(std::make_shared<const Deep>(), PixelFormat::rgb8, toy(image)));
  CHECK(with(std::make_shared<const Deep>(), PixelFormat::stored8, toy(image)).defect().reason ==
        "its codec does not write stored8; use stored16");
}

#ifdef WEIR_HAS_OPENCV_CODEC
namespace {

/// grey8 and grey16 are OpenCV's grey.
void check_grey(const Encoded& jpeg) {
  const cv::Mat input(1, static_cast<int>(jpeg.size()), CV_8U, const_cast<std::byte*>(jpeg.data()));
  const cv::Mat grey = cv::imdecode(input, cv::IMREAD_GRAYSCALE | cv::IMREAD_IGNORE_ORIENTATION);
  const auto whole = [&](PixelFormat format) {
    return run({.fit = own_size, .pixels = format, .exif = Exif::ignore}, jpeg);
  };
  const auto narrow = whole(PixelFormat::grey8), wide = whole(PixelFormat::grey16);
  REQUIRE((narrow && wide));
  CHECK(narrow.row == Pixels(grey.datastart, grey.dataend));
  Pixels doubled;
  for (const auto value : narrow.row) doubled.insert(doubled.end(), 2, value);
  CHECK(wide.row == doubled);
}

}  // namespace

TEST_CASE("OpenCV's IMREAD_GRAYSCALE gives the grey8 values of a JPEG") {
  for (const bool progressive : {false, true})
    for (const std::uint32_t channels : {1u, 3u})
      for (const int sampling : {1, 2})
        for (const int rows : {1, 2}) {
          CAPTURE(progressive, channels, sampling, rows);
          check_grey(encode_jpeg(pattern(70, 50, channels),
                                 {.sampling = sampling, .rows = rows, .progressive = progressive}));
        }
}

TEST_CASE("grey8 of photographs is OpenCV's") {
  const auto folder = weir::test::test_data("photos");
  if (!folder) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  std::vector<std::filesystem::path> photos;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder))
    if (entry.is_regular_file()) photos.push_back(entry.path());
  std::ranges::sort(photos);
  for (std::size_t i = 0; i < photos.size(); i += 10) {
    CAPTURE(photos[i].string());
    check_grey(read_file(photos[i]));
  }
}
#endif

TEST_CASE("a SampleError of a user's codec becomes a defect") {
  const std::vector<std::shared_ptr<const ForeignCodec>> codecs{std::make_shared<const Toy>()};
  const Raster image = pattern(20, 10);
  const Encoded good = toy(image);
  CHECK(run_whole(good).defect().kind == FaultKind::unsupported);
  const Outcome outcome = run_whole(good, true, 0xa5, codecs);
  REQUIRE(outcome);
  CHECK(outcome.row == image.values);
  CHECK(plan_row(Decoder(DecoderOptions{}), *outcome.info, 0).memory.reserved == 77);

  const Outcome boxed =
      run({.fit = {.out = {10, 30}, .fit = Fit::letterbox}, .codecs = codecs}, good);
  REQUIRE(boxed);
  CHECK(int(boxed.row[14]) == 0);
  CHECK(int(boxed.row[15]) == int(image.values[0]));

  const Outcome cut = run_whole(std::span(good).first(100), true, 0xa5, codecs);
  REQUIRE_FALSE(cut);
  CHECK(cut.defect().kind == FaultKind::truncated);
  const Outcome refused = run_whole(to_bytes(Pixels{'X', 'Y', 255, 1}), true, 0xa5, codecs);
  REQUIRE_FALSE(refused);
  CHECK(refused.defect().kind == FaultKind::limit);
  CHECK(refused.defect().reason == "toy\\x0alimit");
}

#ifdef WEIR_HAS_OPENCV_CODEC
TEST_CASE("OpenCV's codec reads BMP, TIFF and PNM, all in memory", "[I14]") {
  const Raster image = pattern(37, 23);
  cv::Mat bgr(23, 37, CV_8UC3);
  for (std::size_t i = 0; i < image.values.size(); ++i)
    bgr.data[i / 3 * 3 + 2 - i % 3] = image.values[i];
  for (const char* extension : {".bmp", ".tiff"}) {
    std::vector<uchar> bytes;
    REQUIRE(cv::imencode(extension, bgr, bytes));
    const Encoded encoded = to_bytes(bytes);
    CAPTURE(extension);
    CHECK(run_whole(encoded).defect().kind == FaultKind::unsupported);
    const Outcome outcome = run_whole(encoded, true, 0xa5, {opencv_codec()});
    REQUIRE(outcome);
    CHECK(outcome.row == image.values);
    CHECK_FALSE(
        run_whole(std::span(encoded).first(encoded.size() / 2), true, 0xa5, {opencv_codec()}));
  }
  const auto codec = opencv_codec();
  const std::string_view letters = "P3 2 1 255 1 2 3 4 5 6\n";
  const auto text = to_bytes(Pixels(letters.begin(), letters.end()));
  CHECK(run_whole(text).defect().kind == FaultKind::unsupported);
  CHECK(run_whole(text, true, 0xa5, {codec}).row == Pixels{1, 2, 3, 4, 5, 6});
  for (const std::string_view head :
       {"PF\n4 4\n", "#?RADIANCE\n", "\x76\x2f\x31\x01", "\x59\xa6\x6a\x95", "GIF89a", "P7\n"}) {
    CHECK_FALSE(codec->accepts(std::as_bytes(std::span(head))));
  }
}

namespace {

Outcome by_opencv(PixelFormat format, const Encoded& encoded) {
  return run({.fit = own_size, .pixels = format, .codecs = {opencv_codec()}}, encoded);
}

std::vector<std::uint16_t> values_of(const Outcome& outcome) {
  REQUIRE(outcome);
  std::vector<std::uint16_t> values(outcome.row.size() / 2);
  std::memcpy(values.data(), outcome.row.data(), outcome.row.size());
  return values;
}

Encoded tiff_of(const cv::Mat& image) {
  std::vector<uchar> bytes;
  REQUIRE(cv::imencode(".tiff", image, bytes));
  return to_bytes(bytes);
}

std::uint32_t value_of(std::uint32_t y, std::uint32_t x) { return y * 5000 + x * 333 + 200; }

Encoded letters(std::string_view pnm) { return to_bytes(Pixels(pnm.begin(), pnm.end())); }

/// Grey without compression in one tile of these sides: value_of(y, x), or its high byte.
Encoded tile_of(std::uint32_t bits, std::uint32_t colours, std::uint32_t width,
                std::uint32_t tile) {
  Pixels data;
  for (std::uint32_t i = 0; i < tile * tile; ++i)
    data = data + le(value_of(i / tile, i % tile) >> (16 - bits), bits == 8 ? 1 : 2);
  return to_bytes(test::tiff_of(
      {tiff_entry(256, 4, width), tiff_entry(257, 4, 9), tiff_entry(258, 3, bits),
       tiff_entry(262, 3, colours), tiff_entry(277, 3, 1), tiff_entry(322, 4, tile),
       tiff_entry(323, 4, tile), tiff_entry(324, 4, 14 + 9 * 12), tiff_entry(325, 4, data.size())},
      data));
}

std::uint16_t grey_of(std::uint32_t r, std::uint32_t g, std::uint32_t b) {
  return static_cast<std::uint16_t>((19595 * r + 38470 * g + 7471 * b + 32768) >> 16);
}

}  // namespace

TEST_CASE("OpenCV's codec keeps 16 bits where the format has them") {
  cv::Mat grey(23, 37, CV_16UC1), bgr(23, 37, CV_16UC3);
  cv::randu(grey, 0, 65536);
  cv::randu(bgr, 0, 65536);
  const auto depths = tiff_of(grey), colours = tiff_of(bgr);
  const std::vector<std::uint16_t> wanted(grey.begin<std::uint16_t>(), grey.end<std::uint16_t>());
  CHECK(values_of(by_opencv(PixelFormat::stored16, depths)) == wanted);
  CHECK(values_of(by_opencv(PixelFormat::grey16, depths)) == wanted);
  const auto rgb = values_of(by_opencv(PixelFormat::rgb16, colours)),
             mixed = values_of(by_opencv(PixelFormat::grey16, colours)),
             tripled = values_of(by_opencv(PixelFormat::rgb16, depths));
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& pixel = bgr.at<cv::Vec3w>(static_cast<int>(i) / 37, static_cast<int>(i) % 37);
    REQUIRE((rgb[3 * i] == pixel[2] && rgb[3 * i + 1] == pixel[1] && rgb[3 * i + 2] == pixel[0]));
    REQUIRE(mixed[i] == grey_of(pixel[2], pixel[1], pixel[0]));
    REQUIRE((tripled[3 * i] == wanted[i] && tripled[3 * i + 2] == wanted[i]));
  }
  const auto narrow = by_opencv(PixelFormat::rgb8, colours).row,
             exchanged = by_opencv(PixelFormat::bgr8, colours).row,
             single = by_opencv(PixelFormat::grey8, depths).row;
  for (std::size_t i = 0; i < rgb.size(); ++i) {
    REQUIRE(narrow[i] == rgb[i] >> 8);
    REQUIRE(exchanged[i] == rgb[i / 3 * 3 + 2 - i % 3] >> 8);
    REQUIRE(single[i / 3] == wanted[i / 3] >> 8);
  }
}

TEST_CASE("OpenCV's codec finds damage in TIFFs of 16 bits") {
  for (const int type : {CV_16UC1, CV_16UC3}) {
    cv::Mat image(64, 64, type);
    cv::randu(image, 0, 65536);
    auto encoded = tiff_of(image);
    std::fill_n(encoded.begin() + 100, 16, std::byte{0xff});
    for (const auto format : {PixelFormat::rgb8, PixelFormat::grey8, PixelFormat::rgb16}) {
      const auto outcome = by_opencv(format, encoded);
      REQUIRE_FALSE(outcome);
      CHECK(outcome.defect().kind == FaultKind::corrupt);
    }
  }
}

TEST_CASE("OpenCV's codec reads tiles wider than the TIFF, or refuses") {
  for (const std::uint32_t bits : {8u, 16u}) {
    const auto outcome = by_opencv(PixelFormat::grey8, tile_of(bits, 1, 20, 32));
    REQUIRE(outcome);
    for (std::uint32_t i = 0; i < 20 * 9; ++i)
      REQUIRE(outcome.row[i] == value_of(i / 20, i % 20) >> 8);
  }
  CHECK(by_opencv(PixelFormat::grey8, tile_of(16, 0, 32, 32)));
  const auto white = by_opencv(PixelFormat::grey8, tile_of(16, 0, 20, 32)).defect();
  CHECK(white.kind == FaultKind::unsupported);
  CHECK(white.reason ==
        "OpenCV misreads the tiles of this kind of TIFF of 16 bits; store it in strips");
  CHECK(by_opencv(PixelFormat::grey8, tile_of(16, 1, 16, 16)));
  // Some versions of libtiff read it.
  const auto small = by_opencv(PixelFormat::grey8, tile_of(8, 1, 16, 16));
  if (!small) CHECK(small.defect().kind == FaultKind::unsupported);
}

TEST_CASE("OpenCV's codec reads the kinds of BMP that OpenCV reads") {
  const auto head = text("BM") + Pixels(8);
  const auto old = to_bytes(head + le(26, 4) + le(12, 4) + le(1, 2) + le(1, 2) + le(1, 2) +
                            le(24, 2) + Pixels{1, 2, 3, 0});
  CHECK(by_opencv(PixelFormat::rgb8, old).row == Pixels{3, 2, 1});
  CHECK(values_of(by_opencv(PixelFormat::rgb16, old)) == std::vector<std::uint16_t>{771, 514, 257});
  CHECK(values_of(by_opencv(PixelFormat::grey16, old)) ==
        std::vector<std::uint16_t>{grey_of(771, 514, 257)});
  const auto masked = [&](std::uint32_t bits, std::uint32_t red, std::uint32_t green,
                          std::uint32_t blue) {
    return by_opencv(PixelFormat::rgb8,
                     to_bytes(head + le(66, 4) + le(40, 4) + le(1, 4) + le(1, 4) + le(1, 2) +
                              le(bits, 2) + le(3, 4) + Pixels(20) + le(red, 4) + le(green, 4) +
                              le(blue, 4) + Pixels{1, 2, 3, 4}));
  };
  CHECK(masked(32, 0xff0000, 0xff00, 0xff).row == Pixels{3, 2, 1});
  CHECK(masked(16, 0xf800, 0x7e0, 0x1f));
  CHECK(masked(32, 0xff, 0xff00, 0xff0000).defect().reason ==
        "BMP of 32 bits with masks that OpenCV ignores; convert it to PNG");
  const auto exchanged = masked(16, 0x1f, 0x7e0, 0xf800);
  REQUIRE_FALSE(exchanged);
  CHECK(exchanged.defect().kind == FaultKind::unsupported);
}

TEST_CASE("OpenCV's codec gives 8 bits to each format") {
  cv::Mat bgr(5, 7, CV_8UC3), grey(5, 7, CV_8UC1);
  cv::randu(bgr, 0, 256);
  cv::randu(grey, 0, 256);
  const Pixels values(bgr.datastart, bgr.dataend);
  const auto encoded = tiff_of(bgr);
  CHECK(by_opencv(PixelFormat::bgr8, encoded).row == values);
  const auto wide = values_of(by_opencv(PixelFormat::rgb16, encoded));
  for (std::size_t i = 0; i < wide.size(); ++i)
    CHECK(wide[i] == 257 * values[i / 3 * 3 + 2 - i % 3]);
  const auto stored = values_of(by_opencv(PixelFormat::stored16, tiff_of(grey)));
  CHECK(stored == std::vector<std::uint16_t>(grey.begin<uchar>(), grey.end<uchar>()));
  std::vector<uchar> bmp;
  REQUIRE(cv::imencode(".bmp", bgr, bmp));
  CHECK(values_of(by_opencv(PixelFormat::rgb16, to_bytes(bmp))) == wide);
}

TEST_CASE("OpenCV's codec ignores the orientation and alpha of a TIFF") {
  for (const std::uint32_t bits : {8u, 16u})
    for (const std::uint32_t samples : {3u, 4u})
      for (const std::uint32_t turn : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u}) {
        CAPTURE(bits, samples, turn);
        Pixels data, rgb;
        for (std::uint32_t i = 0; i < 6 * samples; ++i) {
          const bool alpha = i % samples == 3;
          data.insert(data.end(), bits / 8, static_cast<std::uint8_t>(alpha ? 128 : 250 - 7 * i));
          if (!alpha) rgb.push_back(data.back());
        }
        const auto encoded = to_bytes(
            tiff_of({tiff_entry(256, 4, 3), tiff_entry(257, 4, 2), tiff_entry(258, 3, bits),
                     tiff_entry(259, 3, 1), tiff_entry(262, 3, 2), tiff_entry(273, 4, 14 + 11 * 12),
                     tiff_entry(274, 3, turn), tiff_entry(277, 3, samples), tiff_entry(278, 4, 2),
                     tiff_entry(279, 4, data.size()), tiff_entry(338, 3, 2, samples == 4)},
                    data));
        CHECK(by_opencv(PixelFormat::rgb8, encoded).row == rgb);
        const auto wide = values_of(by_opencv(PixelFormat::rgb16, encoded));
        REQUIRE(wide.size() == rgb.size());
        for (std::size_t i = 0; i < rgb.size(); ++i) CHECK(wide[i] == 257 * rgb[i]);
      }
}

TEST_CASE("OpenCV's codec refuses 8 bits of PNM that are not scaled") {
  const std::string grey = "PGM whose largest value is not 255; use grey16 or stored16",
                    colours = "PPM whose largest value is not 255; use rgb16";
  for (const std::string most : {"100", "256", "4095", "65534"}) {
    for (const auto format : {PixelFormat::rgb8, PixelFormat::grey8}) {
      const auto why = [&](const std::string& kind) {
        const auto outcome = by_opencv(format, letters(kind + " 1 1 " + most + "\n" + "9 9 9 9\n"));
        return outcome ? "ok" : outcome.defect().reason;
      };
      CAPTURE(most, format);
      CHECK(why("P5") == grey);
      CHECK(why("P6") == colours);
      CHECK(why("P2") == (most == "100" ? "ok" : grey));
      CHECK(why("P3") == (most == "100" ? "ok" : colours));
    }
  }
  CHECK(by_opencv(PixelFormat::rgb8, letters("P5 1 1 65535\n\x12\x34")).row == Pixels(3, 0x12));
  CHECK(by_opencv(PixelFormat::rgb8, letters("P2 1 1 100\n50\n")).row == Pixels(3, 127));
  // weir's own decoder does not read this one first.
  for (const auto format : {PixelFormat::grey16, PixelFormat::stored16}) {
    const auto binary = letters("P5 1 1 1000\n\x01\xf4");
    Pixels pixel(2);
    opencv_codec()->decode(format, binary, opencv_codec()->info(binary), pixel);
    CHECK(pixel == le(format == PixelFormat::grey16 ? 32768 : 500, 2));
  }
}

TEST_CASE("OpenCV's codec scales PNM as text to 16 bits") {
  using Values = std::vector<std::uint16_t>;
  const auto grey = letters("P2 3 1 1000\n1 500 1000\n"),
             rgb = letters("P3 1 1 1000\n1 500 1000\n");
  CHECK(values_of(by_opencv(PixelFormat::stored16, grey)) == Values{1, 500, 1000});
  CHECK(values_of(by_opencv(PixelFormat::grey16, grey)) == Values{66, 32768, 65535});
  CHECK(values_of(by_opencv(PixelFormat::rgb16, rgb)) == Values{66, 32768, 65535});
  CHECK(values_of(by_opencv(PixelFormat::grey16, letters("P2 2 1 255\n1 254\n"))) ==
        Values{257, 65278});
  CHECK(values_of(by_opencv(PixelFormat::grey16, letters("P1 2 1\n1 0\n"))) == Values{0, 65535});
}

TEST_CASE("OpenCV's codec refuses values that OpenCV changes") {
  const auto entry_is = [](std::uint32_t bits, std::uint32_t colours,
                           std::uint32_t sample_format = 1, std::uint32_t samples = 1) {
    return to_bytes(tiff_of({tiff_entry(256, 4, 8), tiff_entry(257, 4, 8), tiff_entry(258, 3, bits),
                             tiff_entry(262, 3, colours), tiff_entry(277, 3, samples),
                             tiff_entry(338, 3, 999), tiff_entry(339, 3, sample_format)}));
  };
  const std::string changed = "OpenCV does not keep the values of this kind of file; use rgb8";
  for (const auto& encoded :
       {to_bytes(black_tiff({.width = 8, .height = 8, .bits = 16, .planes = 2})), entry_is(16, 0),
        letters("P2 2 1 100\n1 50\n")})
    for (const auto format : {PixelFormat::grey16, PixelFormat::rgb16, PixelFormat::stored16})
      CHECK(by_opencv(format, encoded).defect().reason == changed);
  cv::Mat bgr(5, 7, CV_16UC3, cv::Scalar::all(9));
  for (const auto& encoded : {tiff_of(bgr), letters("P3 1 1 255\n1 2 3\n"), letters("P1 1 1\n1\n"),
                              entry_is(1, 1), entry_is(8, 0), entry_is(8, 3)})
    CHECK(by_opencv(PixelFormat::stored16, encoded).defect().reason ==
          "OpenCV does not give it as stored values of one channel; use rgb16 or grey16");
  const std::string numbers = "TIFF of other values than unsigned whole numbers",
                    bits =
                        "OpenCV reads no TIFF of this number of bits and channels for its colours",
                    alpha = "TIFF with alpha of an unknown kind";
  const std::pair<Encoded, std::string> unread[] = {
      {entry_is(32, 1, 3), numbers}, {entry_is(16, 1, 2), numbers}, {entry_is(4, 1), bits},
      {entry_is(12, 1), bits},       {entry_is(32, 1), bits},       {entry_is(1, 2, 1, 3), bits},
      {entry_is(16, 5, 1, 4), bits}, {entry_is(8, 2, 1, 4), alpha}};
  for (const auto& [encoded, why] : unread)
    for (const auto format : {PixelFormat::rgb8, PixelFormat::grey16, PixelFormat::stored16}) {
      const auto defect = by_opencv(format, encoded).defect();
      CHECK((defect.kind == FaultKind::unsupported && defect.reason == why));
    }
  for (const auto format : {PixelFormat::rgba8, PixelFormat::stored8})
    CHECK(by_opencv(format, tiff_of(bgr)).defect().kind == FaultKind::unsupported);
}

TEST_CASE("BMP, TIFF and PNM sizes are limited before OpenCV sees them", "[I3]") {
  Pixels bmp(70, 0);
  bmp[0] = 'B';
  bmp[1] = 'M';
  bmp[14] = 40;
  bmp[20] = bmp[24] = 1;  // 65536 x 65536
  const std::string_view pnm = "P6 99999 99999 255\n";
  const Pixels tiff =
      tiff_of({tiff_entry(256, 4, 65'536), tiff_entry(257, 4, 65'536), tiff_entry(262, 3, 1)});
  const std::vector<Encoded> bombs{to_bytes(bmp), to_bytes(Pixels(pnm.begin(), pnm.end())),
                                   to_bytes(tiff)};
  for (const auto& bomb : bombs) {
    const Outcome outcome = run_whole(bomb, true, 0xa5, {opencv_codec()});
    REQUIRE_FALSE(outcome);
    CHECK(outcome.defect().kind == FaultKind::limit);
  }
}
#endif

}  // namespace weir::codec::test
