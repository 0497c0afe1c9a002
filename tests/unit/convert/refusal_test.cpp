#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "weir/convert.hpp"
#include "weir/error.hpp"

namespace {

using namespace weir;

bool says(const std::string& message, const std::string& part) {
  UNSCOPED_INFO(message);
  return message.find(part) != std::string::npos;
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    CHECK(error.code() == Errc::bad_options);
    CHECK(error.stage() == Stage::lease);
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace

TEST_CASE("an output of the wrong size is refused with both sizes", "[convert]") {
  const std::vector<std::uint8_t> pixels(120);
  std::vector<float> out(pixels.size() + 1);
  const Converter<float> convert;
  CHECK(says(refusal([&] {
               convert({pixels, 2, {4, 5}}, out);
             }),
             "out.size() is 121, must be 120 for 2 images of 4x5 rgb8"));
  out.resize(pixels.size() - 1);
  CHECK(says(refusal([&] { convert({pixels, 2, {4, 5}}, out); }), "out.size() is 119"));
}

TEST_CASE("rows go to the begin of a larger output", "[convert]") {
  struct Rows {
    std::vector<std::uint8_t> bytes;
    PixelBlock pixels() const { return {bytes, 2, {4, 5}}; }
  };
  const Rows rows{std::vector<std::uint8_t>(120, 255)};
  std::vector<float> out(150, 7);
  const Converter<float> convert;
  const auto written = convert(rows, out);
  CHECK(written.data() == out.data());
  CHECK(written.size() == 120);
  CHECK(out[119] == 1);
  CHECK(out[120] == 7);
  out.resize(119);
  CHECK(says(refusal([&] { convert(rows, out); }),
             "out.size() is 119, must be at least 120 for 2 images of 4x5 rgb8"));
}

TEST_CASE("a block that does not hold its images is refused", "[convert]") {
  const std::vector<std::uint8_t> pixels(10);
  std::vector<float> out(12);
  const Converter<float> convert;
  CHECK(says(refusal([&] {
               convert({pixels, 1, {2, 2}}, out);
             }),
             "pixels.size() is 10, must be 12"));
  CHECK(says(refusal([&] {
               convert({pixels, 1, {2, 2}, PixelFormat::rgb16}, out);
             }),
             "pixels.size() is 10, must be 24 for 1 images of 2x2 rgb16"));
}

TEST_CASE("a size that overflows 64 bits is refused, not wrapped", "[convert]") {
  const Converter<float> convert;
  CHECK(says(refusal([&] {
               convert({{}, 4294967295U, {4294967295U, 4294967295U}}, {});
             }),
             "pixels.size() is 0, must be 18446744073709551615"));
}

TEST_CASE("a figure that gives no number is refused by name", "[convert]") {
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  const auto make = [](const Normalize& normalize) {
    return refusal([&] { Converter<float16> convert(normalize); });
  };
  CHECK(says(make({{0, 0, 0}, {1, 0, 1}}), "stddev[1] is 0, must be finite and not 0"));
  CHECK(says(make({{0, 0, 0}, {1, 1, nan}}), "stddev[2] is nan"));
  CHECK(says(make({{0, 0, 0}, {-infinity, 1, 1}}), "stddev[0] is -inf"));
  CHECK(says(make({{infinity, 0, 0}}), "mean[0] is inf, must be finite"));
  CHECK(says(make({{0, nan, 0}}), "mean[1] is nan"));
  CHECK(says(make({{0, 0, 0}, {1, 1, 1}, nan}), "scale is nan, must be finite"));
}

TEST_CASE("a stored format is refused with the way to integers", "[convert]") {
  const std::vector<std::uint8_t> pixels(8);
  std::vector<float> out(8);
  const Converter<float> convert;
  const PixelBlock block{pixels, 1, {2, 4}, PixelFormat::stored8};
  CHECK(says(refusal([&] { convert(block, out); }), "not take pixels of stored8"));
  CHECK(says(refusal([&] { convert(block.image(0), out); }), "weir::widen()"));
  CHECK(says(refusal([] { channel_lines({}, PixelFormat::stored16); }),
             "not take pixels of stored16"));
}

TEST_CASE("grey is refused if colours have different figures", "[convert]") {
  const std::vector<std::uint8_t> pixels(8);
  std::vector<float> out(8);
  const PixelBlock block{pixels, 1, {2, 4}, PixelFormat::grey8};
  const auto refused = [&](const Normalize& normalize) {
    return refusal([&] { Converter<float>{normalize}(block, out); });
  };
  CHECK(says(refused({.mean = {0.5, 0.5, 0.4}}), "use one mean and one stddev for all three"));
  CHECK(says(refused({.stddev = {0.5, 0.4, 0.5}}), "grey8 has one channel"));
  CHECK_NOTHROW(Converter<float>({.mean = {1, 1, 1}, .stddev = {3, 3, 3}})(block, out));
}

TEST_CASE("a mean that overflows times 257 is refused", "[convert]") {
  CHECK(says(refusal([] {
               Converter<float> convert({.mean = {0, 0, 1e306}});
             }),
             "mean[2] is 1e+306, must be finite, also times 257"));
}
