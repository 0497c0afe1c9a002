#include <cstdio>
#include <cstdlib>

#include "proof/soak/soak.hpp"
#include "support/catch.hpp"

using namespace weir;
using namespace weir::test;

namespace {

/// WEIR_SOAK_MINUTES, or a short form.
double minutes() {
  const char* asked = std::getenv("WEIR_SOAK_MINUTES");
  constexpr double by_default = 0.5;
  return asked == nullptr ? by_default : std::atof(asked);
}

/// Not above what its error explains, or so little that days of it would not matter to a machine.
bool flat(const Trend& trend, double allowed_bytes_a_minute) {
  return trend.slope - 3 * trend.error <= allowed_bytes_a_minute;
}

}  // namespace

TEST_CASE("a soak: one in a hundred of everything fails, and nothing grows, slows or breaks a law",
          "[R3][R4][R7][R12][R15]") {
  const auto result = soak(minutes() * 60);
  const auto text = result.text();
  std::fputs(text.c_str(), stdout);
  INFO(text);
  for (std::size_t i = 0; i < cli::law_count; ++i) {
    CAPTURE(to_string(static_cast<cli::Law>(i)));
    CHECK(result.laws[i].breaches == 0);
    // Which files were read, and what a second pass delivers, is for `weir verify`, whose streams end
    // well.
    const auto law = static_cast<cli::Law>(i);
    if (law != cli::Law::attempted && law != cli::Law::determinism)
      CHECK(result.laws[i].checks > 0);
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
  // A slope that says nothing would be flat, too.
  if (minutes() >= 5) CHECK(result.heap().error <= 16 << 10);
  // What glibc keeps for threads that come and go takes minutes to level off.
  CHECK(result.rss_growth() <= (minutes() >= 5 ? 1 << 20 : 4 << 20));
  CHECK(result.pace() > 0.75);
}

TEST_CASE("a trend is that of least squares, with its error", "[soak]") {
  // y = 2 x + 1, off by +1, -1, -1, +1: slope 2, residuals as they are.
  const std::array<Point, 4> points{{{0, 2}, {1, 2}, {2, 4}, {3, 8}}};
  const auto trend = Trend::of(points);
  CHECK(trend.slope == Approx(2.0));
  CHECK(trend.error == Approx(std::sqrt(4.0 / 2 / 5)));
}
