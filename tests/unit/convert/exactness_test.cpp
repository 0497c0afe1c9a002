#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "unit/convert/exact.hpp"

namespace {

using namespace weir;
using namespace weir::test;

struct Named {
  std::string name;
  Normalize normalize;
};

std::vector<Named> normalizations() {
  const double third = 85 / 255.0;
  return {{"default", {}},
          {"imagenet", imagenet},
          {"identity", {{0, 0, 0}, {1, 1, 1}, 1}},
          {"means on pixel values", {{128 / 255.0, third, 254 / 255.0}, {0.5, 0.25, 0.2}}},
          {"negative stddev and scale", {{0.4, -0.3, 0.2}, {-0.2, -1, -3}, -1.0 / 255}},
          {"tiny stddev", {{0.5, 0.4, 0.1}, {1e-300, 1e-30, 1e-6}}},
          {"huge stddev", {{0.5, 0.4, 0.1}, {1e300, 1e41, 1e5}}},
          {"stddev that overflows float16 in the middle", {{0, 0, 0}, {1e-5, 1.52e-5, 3e-6}}},
          {"subnormal in float and float16", {{0.5, 0.5, 0.5}, {1e38, 1e4, 1e6}}},
          {"subnormal scale", {{3e-310, 0, 1e-308}, {1e-308, 1e-307, 1e-310}, 1e-310}},
          {"all the way in one ulp", {{1e9, 1e15, 1e18}, {1, 1, 1}, 1}}};
}

template <class T>
void every_pixel_within_one_ulp(const Normalize& normalize, Layout layout) {
  constexpr auto format = format_of<T>();
  std::vector<std::uint8_t> pixels;
  for (int pixel = 0; pixel < 256; ++pixel)
    pixels.insert(pixels.end(), 3, static_cast<std::uint8_t>(pixel));
  std::vector<T> out(pixels.size());
  Converter<T>(normalize, layout)({pixels, 1, {16, 16}}, out);
  for (std::size_t channel = 0; channel < 3; ++channel) {
    for (int pixel = 0; pixel < 256; ++pixel) {
      const auto at = static_cast<std::size_t>(pixel);
      const auto given =
          value_of(out[layout == Layout::nchw ? channel * 256 + at : at * 3 + channel]);
      const auto wanted = exact(pixel, normalize, channel);
      CAPTURE(channel, pixel, given, wanted);
      if (std::abs(wanted) >= overflow_bound(format)) {
        REQUIRE(given == std::copysign(HUGE_VALL, wanted));
      } else {
        // Half an ulp is the rounding itself. The rest is the error of the intermediate double.
        REQUIRE(std::abs(given - wanted) <= 0.5001L * ulp(wanted, format));
      }
    }
  }
}

}  // namespace

TEMPLATE_TEST_CASE("every output is within one ulp of the exact value", "[convert]", float, float16,
                   bfloat16) {
  for (const auto& [name, normalize] : normalizations()) {
    for (const auto layout : {Layout::nchw, Layout::nhwc}) {
      CAPTURE(name);
      every_pixel_within_one_ulp<TestType>(normalize, layout);
    }
  }
}

TEST_CASE("plain float arithmetic errs by over one ulp near the mean", "[convert]") {
  // The reason for the tables. If this ever passes within one ulp, they can be removed.
  const Normalize normalize{{128 / 255.0, 128 / 255.0, 128 / 255.0}, {0.226, 0.226, 0.226}};
  const auto scale = static_cast<float>(normalize.scale / normalize.stddev[0]);
  const auto bias = static_cast<float>(-normalize.mean[0] / normalize.stddev[0]);
  const float plain = 129.0F * scale + bias;
  const auto wanted = exact(129, normalize, 0);
  CHECK(std::abs(static_cast<long double>(plain) - wanted) > ulp(wanted, format_of<float>()));
}

TEST_CASE("what 16 bits stand for is what widening gives", "[convert]") {
  static_assert(widen(float16{0x3555}) == 0.333251953125F);
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float16 half{static_cast<std::uint16_t>(bits)};
    const bfloat16 brain{static_cast<std::uint16_t>(bits)};
    CAPTURE(bits);
    REQUIRE(std::isnan(widen(half)) == std::isnan(value_of(half)));
    REQUIRE(std::signbit(widen(half)) == (bits >= 0x8000));
    if (!std::isnan(widen(half))) REQUIRE(static_cast<long double>(widen(half)) == value_of(half));
    const unsigned quiet = std::isnan(widen(brain)) ? (bits & 0xff80) | 0x40 : bits;
    REQUIRE(narrow<bfloat16>(widen(brain)).bits == quiet);
  }
}

TEST_CASE("every float16 comes back from narrowing", "[convert]") {
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const float16 given{static_cast<std::uint16_t>(bits)};
    const double value = widen(given);
    CAPTURE(bits);
    REQUIRE(narrow<float16>(value).bits == (std::isnan(value) ? (bits & 0xfc00) | 0x200 : bits));
  }
}

TEST_CASE("a tie between two float16 values is rounded to the even one", "[convert]") {
  for (unsigned bits = 0; bits < 0x7c00; ++bits) {
    const auto low = static_cast<double>(value_of(float16{static_cast<std::uint16_t>(bits)}));
    const double high =
        bits == 0x7bff
            ? 65536.0
            : static_cast<double>(value_of(float16{static_cast<std::uint16_t>(bits + 1)}));
    const double middle = (low + high) / 2;
    CAPTURE(bits);
    REQUIRE(narrow<float16>(middle).bits == bits + bits % 2);
    REQUIRE(narrow<float16>(std::nextafter(middle, 0.0)).bits == bits);
    REQUIRE(narrow<float16>(std::nextafter(middle, 1e9)).bits == bits + 1);
    REQUIRE(narrow<float16>(-middle).bits == (0x8000 | (bits + bits % 2)));
  }
}

TEST_CASE("a tie between two bfloat16 values is rounded to the even one", "[convert]") {
  for (unsigned bits = 0; bits < 0x7f80; ++bits) {
    const auto low = static_cast<double>(value_of(bfloat16{static_cast<std::uint16_t>(bits)}));
    const double high =
        bits == 0x7f7f
            ? 0x1p128
            : static_cast<double>(value_of(bfloat16{static_cast<std::uint16_t>(bits + 1)}));
    const double middle = (low + high) / 2;
    CAPTURE(bits);
    REQUIRE(narrow<bfloat16>(middle).bits == bits + bits % 2);
    REQUIRE(narrow<bfloat16>(std::nextafter(middle, 0.0)).bits == bits);
    REQUIRE(narrow<bfloat16>(std::nextafter(middle, 1e300)).bits == bits + 1);
  }
}

TEST_CASE("narrowing keeps the sign of zero and of infinity", "[convert]") {
  CHECK(narrow<float16>(-0.0).bits == 0x8000);
  CHECK(narrow<bfloat16>(-std::numeric_limits<double>::infinity()).bits == 0xff80);
  CHECK(narrow<float16>(1e300).bits == 0x7c00);
  CHECK(narrow<bfloat16>(std::numeric_limits<double>::denorm_min()).bits == 0);
}
