#include <cstdio>
#include <cstdlib>

#include "proof/soak/soak.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// WEIR_SOAK_MINUTES, or a short default.
double minutes() {
  const char* asked = std::getenv("WEIR_SOAK_MINUTES");
  constexpr double by_default = 0.5;
  return asked == nullptr ? by_default : std::atof(asked);
}

/// True if the slope is within its error, or too small to matter in days.
bool flat(const Trend& trend, double allowed_bytes_a_minute) {
  return trend.slope - 3 * trend.error <= allowed_bytes_a_minute;
}

}  // namespace

TEST_CASE("a soak with 1 % failures breaks no law, nor grows or slows", "[R3][R4][R7][R12][R15]") {
  const auto result = soak(minutes() * 60);
  const auto text = result.text();
  std::fputs(text.c_str(), stdout);
  INFO(text);
  for (std::size_t i = 0; i < law_count; ++i) {
    CAPTURE(to_string(static_cast<Law>(i)));
    CHECK(result.laws[i].breaches == 0);
    // These streams do not all end well, so it is not known which samples they should have read.
    if (static_cast<Law>(i) != Law::attempted) CHECK(result.laws[i].checks > 0);
  }
  for (const auto struck : result.struck) CHECK(struck > 0);
  CHECK(result.cancelled > 0);
  CHECK(result.ended_in_error > 0);
  CHECK(result.unexpected == 0);
  CHECK(result.outlived == 0);
  CHECK(result.cache_hits > 0);
  for (const auto& look : result.looks)
    if (look.descriptors != result.looks.front().descriptors) FAIL("descriptors: not flat");
  CHECK(flat(result.heap(), 1024));
  // A slope with a large error would also pass as flat.
  if (minutes() >= 5) CHECK(result.heap().error <= 16 << 10);
  // glibc's memory for ended threads takes minutes to level off.
  CHECK(result.rss_growth() <= (minutes() >= 5 ? 1 << 20 : 4 << 20));
  CHECK(result.pace() > 0.75);
}

TEST_CASE("a trend is that of least squares, with its error", "[soak]") {
  // y = 2 x + 1, with residuals +1, -1, -1, +1: the slope is 2.
  const std::array<weir::test::Point, 4> points{{{0, 2}, {1, 2}, {2, 4}, {3, 8}}};
  const auto trend = Trend::of(points);
  CHECK(trend.slope == Approx(2.0));
  CHECK(trend.error == Approx(std::sqrt(4.0 / 2 / 5)));
}
