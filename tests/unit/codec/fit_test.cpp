#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#ifdef WEIR_HAS_OPENCV_CODEC
#include <opencv2/imgcodecs.hpp>
#endif

#include "codec/decoder.hpp"
#include "encoders.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/skip.hpp"

namespace weir::codec::test {
namespace {

/// OpenCV's own decoder if it is available, otherwise libjpeg.
cv::Mat decode_independently(const Encoded& jpeg) {
#ifdef WEIR_HAS_OPENCV_CODEC
  const cv::Mat bytes(1, static_cast<int>(jpeg.size()), CV_8U, const_cast<std::byte*>(jpeg.data()));
  cv::Mat rgb;
  cv::cvtColor(cv::imdecode(bytes, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION), rgb,
               cv::COLOR_BGR2RGB);
  return rgb;
#else
  const Raster raster = reference_jpeg(jpeg);
  cv::Mat view(static_cast<int>(raster.height), static_cast<int>(raster.width),
               raster.channels == 1 ? CV_8UC1 : CV_8UC3,
               const_cast<std::uint8_t*>(raster.values.data()));
  cv::Mat rgb = view.clone();
  if (raster.channels == 1) cv::cvtColor(view, rgb, cv::COLOR_GRAY2RGB);
  return rgb;
#endif
}

cv::Mat crop_and_resize(const cv::Mat& image, const PixelRect& source, int width, int height) {
  const cv::Rect rect(static_cast<int>(source.x), static_cast<int>(source.y),
                      static_cast<int>(source.width), static_cast<int>(source.height));
  cv::Mat out;
  cv::resize(image(rect), out, {width, height}, 0, 0, cv::INTER_LINEAR);
  return out;
}

double share_beyond_one(const Pixels& row, const cv::Mat& reference) {
  std::size_t beyond = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    beyond += std::abs(int(row[i]) - int(reference.data[i])) > 1 ? 1u : 0u;
  return double(beyond) / double(row.size());
}

/// The pixels of an upright image as a camera would store them with this orientation.
Raster stored_for(const Raster& upright, std::uint8_t orientation) {
  const bool turned = orientation >= 5;
  Raster stored{turned ? upright.height : upright.width, turned ? upright.width : upright.height, 3,
                Pixels(upright.values.size())};
  for (std::uint32_t y = 0; y < stored.height; ++y) {
    for (std::uint32_t x = 0; x < stored.width; ++x) {
      const std::uint32_t right = stored.width - 1 - x, down = stored.height - 1 - y;
      // The position of stored (x, y), from the meaning of each value: 1 as is, 2 mirrored, 3
      // upside down, 4 flipped, 5 transposed, 6 to be rotated clockwise, 7 transversed, 8
      // counter-clockwise.
      const std::uint32_t places[8][2] = {{x, y}, {right, y}, {right, down}, {x, down},
                                          {y, x}, {down, x},  {down, right}, {y, right}};
      const auto* place = places[orientation - 1];
      for (std::uint32_t c = 0; c < 3; ++c) {
        stored.values[(std::size_t{y} * stored.width + x) * 3 + c] =
            upright.at(place[0], place[1], c);
      }
    }
  }
  return stored;
}

}  // namespace

TEST_CASE("stored values are those of OpenCV's INTER_NEAREST_EXACT") {
  Pixels values(57 * 43);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint8_t>(i * 37 % 251);
  const Encoded png = encode_png(57, 43, values, {.colour = 0});
  const cv::Mat whole(43, 57, CV_8UC1, values.data());
  for (const auto size :
       {ImageSize{43, 57}, ImageSize{86, 114}, ImageSize{21, 19}, ImageSize{13, 100},
        ImageSize{1, 1}, ImageSize{44, 56}, ImageSize{100, 13}}) {
    const DecoderOptions options{.fit = {.out = size, .fit = Fit::stretch},
                                 .pixels = PixelFormat::stored8};
    const Outcome outcome = run(options, png);
    REQUIRE(outcome);
    cv::Mat expected;
    cv::resize(whole, expected, {static_cast<int>(size.width), static_cast<int>(size.height)}, 0, 0,
               cv::INTER_NEAREST_EXACT);
    CAPTURE(size.height, size.width);
    CHECK(std::equal(outcome.row.begin(), outcome.row.end(), expected.datastart, expected.dataend));
  }
}

TEST_CASE("fit center equals an independent crop and bilinear resize") {
  for (const auto& [width, height] :
       {std::pair{320u, 200u}, {200u, 320u}, {61u, 47u}, {224u, 224u}, {1000u, 90u}}) {
    const Encoded jpeg = encode_jpeg(pattern(width, height));
    const DecoderOptions options{.fit = {.out = {224, 224}, .fit = Fit::center, .short_side = 256}};
    const Outcome outcome = run(options, jpeg);
    REQUIRE(outcome);
    const auto source = pixels_of(choose_window({height, width}, options.fit, 0).source);
    CAPTURE(width, height);
    CHECK(share_beyond_one(outcome.row,
                           crop_and_resize(decode_independently(jpeg), source, 224, 224)) <= 0.001);
  }
}

TEST_CASE("fit center equals OpenCV's crop and resize on photographs") {
  const auto folder = weir::test::test_data("photos");
  if (!folder) {
    weir::test::skip("WEIR_TEST_DATA is not set");
    return;
  }
  std::size_t photos = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(*folder)) {
    if (!entry.is_regular_file()) continue;
    const Encoded encoded = read_file(entry.path());
    const DecoderOptions options{.fit = {.out = {224, 224}, .fit = Fit::center, .short_side = 256},
                                 .exif = Exif::ignore};
    const Outcome outcome = run(options, encoded);
    CAPTURE(entry.path().string());
    REQUIRE(outcome);
    const auto source = pixels_of(
        choose_window({outcome.info->height, outcome.info->width}, options.fit, 0).source);
    REQUIRE(share_beyond_one(outcome.row, crop_and_resize(decode_independently(encoded), source,
                                                          224, 224)) <= 0.001);
    ++photos;
  }
  CHECK(photos == 200);
}

TEST_CASE("an orientation of any integer type turns the image", "[I8]") {
  const Raster stored = pattern(8, 6);
  const auto height_of = [&](std::uint8_t type, Pixels value, bool little) {
    Encoded png = encode_png(stored.width, stored.height, stored.values, {});
    Pixels body = little ? Pixels{0, 0, 0, 26, 'e', 'X',  'I', 'f',  'I', 'I', 42, 0, 8,
                                  0, 0, 0, 1,  0,   0x12, 1,   type, 0,   1,   0,  0, 0}
                         : Pixels{0, 0, 0, 26, 'e', 'X', 'I',  'f', 'M',  'M', 0, 42, 0,
                                  0, 0, 8, 0,  1,   1,   0x12, 0,   type, 0,   0, 0,  1};
    body.insert(body.end(), value.begin(), value.end());
    body.resize(8 + 26 + 4);
    const Encoded chunk = to_bytes(body);
    png.insert(png.begin() + 33, chunk.begin(), chunk.end());
    const auto info = probe_image(png, {});
    return info ? int(info->orientation) : -1;
  };
  for (const bool little : {true, false}) {
    for (const std::uint8_t type : Pixels{1, 6}) CHECK(height_of(type, {6, 0, 0, 0}, little) == 6);
    for (const std::uint8_t type : Pixels{3, 8})
      CHECK(height_of(type, little ? Pixels{6, 0, 0, 0} : Pixels{0, 6, 0, 0}, little) == 6);
    for (const std::uint8_t type : Pixels{4, 9}) {
      CHECK(height_of(type, little ? Pixels{6, 0, 0, 0} : Pixels{0, 0, 0, 6}, little) == 6);
      CHECK(height_of(type, {0xff, 0xff, 0xff, 0xff}, little) == 1);
    }
    for (const std::uint8_t type : Pixels{2, 5, 12})
      CHECK(height_of(type, {6, 6, 6, 6}, little) == 1);
  }
}

TEST_CASE("all eight orientations come out upright", "[I8]") {
  const Raster upright = pattern(24, 16);
  for (std::uint8_t orientation = 1; orientation <= 8; ++orientation) {
    CAPTURE(int(orientation));
    const Raster stored = stored_for(upright, orientation);
    Encoded png = encode_png(stored.width, stored.height, stored.values, {});
    const Encoded chunk = to_bytes(
        Pixels{0, 0, 0, 26, 'e', 'X', 'I', 'f',         'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12,
               1, 3, 0, 1,  0,   0,   0,   orientation, 0,   0,   0,  0, 0, 0, 0, 0, 0, 0, 0});
    png.insert(png.begin() + 33, chunk.begin(), chunk.end());
    const Outcome applied = run({.fit = {.out = {16, 24}, .fit = Fit::stretch}}, png);
    REQUIRE(applied);
    CHECK(applied.row == upright.values);
    const Outcome ignored = run(
        {.fit = {.out = {stored.height, stored.width}, .fit = Fit::stretch}, .exif = Exif::ignore},
        png);
    REQUIRE(ignored);
    CHECK(ignored.row == stored.values);

    const DecoderOptions center{.fit = {.out = {9, 12}, .fit = Fit::center, .short_side = 14}};
    const Outcome cropped = run(center, png);
    REQUIRE(cropped);
    const cv::Mat whole(16, 24, CV_8UC3, const_cast<std::uint8_t*>(upright.values.data()));
    CHECK(share_beyond_one(
              cropped.row,
              crop_and_resize(whole, pixels_of(choose_window({16, 24}, center.fit, 0).source), 12,
                              9)) == 0);
  }
}

TEST_CASE("a JPEG's orientation is applied or ignored as asked", "[I8]") {
  const Encoded jpeg = with_exif(encode_jpeg(pattern(24, 16)), 6);
  const Raster stored = reference_jpeg(jpeg);
  const Outcome outcome = run({.fit = {.out = {24, 16}, .fit = Fit::stretch}}, jpeg);
  REQUIRE(outcome);
  CHECK(stored_for(Raster{16, 24, 3, outcome.row}, 6).values == stored.values);
}

TEST_CASE("random crops are flipped when their window says so") {
  const Raster image = pattern(96, 96);
  const Encoded png = encode_png(96, 96, image.values, {});
  const cv::Mat whole(96, 96, CV_8UC3, const_cast<std::uint8_t*>(image.values.data()));
  int flips = 0;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const DecoderOptions options{.fit = {.out = {32, 40}, .fit = Fit::random}};
    const Outcome outcome = run(options, png, draw);
    REQUIRE(outcome);
    const Window view = choose_window({96, 96}, options.fit, draw);
    cv::Mat expected = crop_and_resize(whole, pixels_of(view.source), 40, 32);
    if (view.flip.horizontal) cv::flip(expected.clone(), expected, 1);
    CHECK(share_beyond_one(outcome.row, expected) == 0);
    flips += view.flip.horizontal ? 1 : 0;
  }
  CHECK(flips > 3);
  CHECK(flips < 17);
}

TEST_CASE("letterbox writes the image and sets all other bytes to zero") {
  const Raster image = pattern(50, 20);
  for (const Encoded& encoded :
       {encode_png(50, 20, image.values, {}), encode_webp(image, std::nullopt)}) {
    for (const auto& [height, width] :
         {std::pair{40u, 100u}, {60u, 50u}, {20u, 90u}, {20u, 50u}, {33u, 25u}}) {
      const DecoderOptions options{.fit = {.out = {height, width}, .fit = Fit::letterbox}};
      const Outcome outcome = run(options, encoded);
      REQUIRE(outcome);
      const auto target = choose_window({20, 50}, options.fit, 0).target;
      const cv::Mat whole(20, 50, CV_8UC3, const_cast<std::uint8_t*>(image.values.data()));
      cv::Mat inside,
          expected = cv::Mat::zeros(static_cast<int>(height), static_cast<int>(width), CV_8UC3);
      cv::resize(whole, inside, {static_cast<int>(target.width), static_cast<int>(target.height)},
                 0, 0, cv::INTER_LINEAR);
      inside.copyTo(expected(cv::Rect(static_cast<int>(target.x), static_cast<int>(target.y),
                                      inside.cols, inside.rows)));
      CAPTURE(width, height);
      CHECK(outcome.row == Pixels(expected.datastart, expected.dataend));
    }
  }
}

TEST_CASE("scratch holds a few lines of the window, not the window") {
  const auto need = [](const Encoded& encoded, std::uint32_t height) {
    const Decoder decoder(DecoderOptions{.fit = {.out = {height, 32}, .fit = Fit::stretch}});
    return plan_row(decoder, *decoder.probe(encoded), 0).memory.scratch;
  };
  // For any height, with and without resampling: a few source lines and two output lines.
  for (const auto& [encoded, taller] :
       {std::pair{encode_jpeg(pattern(600, 24)), encode_jpeg(pattern(600, 2400))},
        {encode_png(600, 24, pattern(600, 24).values, {}),
         encode_png(600, 2400, pattern(600, 2400).values, {})}}) {
    CHECK(need(encoded, 25) == need(taller, 25));
    CHECK(need(encoded, 25) < 150'000);
  }
}

TEST_CASE("a WebP of the output's size is decoded into its row") {
  const auto need = [](std::uint32_t height) {
    const Decoder decoder(DecoderOptions{.fit = {.out = {height, 32}, .fit = Fit::stretch}});
    return plan_row(decoder, *decoder.probe(encode_webp(pattern(32, 24), 80.f)), 0).memory.scratch;
  };
  CHECK(need(24) == 0);
  CHECK(need(25) >= 24 * 32 * 3);
}

}  // namespace weir::codec::test
