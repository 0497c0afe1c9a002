#include "source/delayed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "unit/source/fixture.hpp"
#include "weir/source.hpp"

namespace {

using namespace weir;
using namespace weir::test;
using Milliseconds = std::chrono::duration<double, std::milli>;

template <class F>
double milliseconds(const F& call) {
  const auto start = std::chrono::steady_clock::now();
  call();
  return Milliseconds(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

TEST_CASE("a delayed source gives the same samples, later", "[delayed]") {
  const auto plain = synthetic(3, {16, 16});
  const auto slow = source::delayed(plain, {30, 0, 0});
  std::string text;
  CHECK(milliseconds([&] { text = read_text(slow, 2); }) >= 30);
  CHECK(text == read_text(plain, 2));
  CHECK(slow.size() == 3);
  CHECK(slow.name(1) == plain.name(1));
  CHECK(slow.index_bytes() == plain.index_bytes());
  CHECK(slow.class_names() == plain.class_names());
}

TEST_CASE("samples that need no memory are delayed", "[delayed]") {
  std::vector<MemorySample> samples(1);
  samples[0].bytes.resize(5);
  const auto slow = source::delayed(in_memory(std::move(samples)), {30, 0, 0});
  CHECK(slow.encoded_bytes(0) == 5);
  CHECK(milliseconds([&] { read_text(slow, 0); }) >= 30);
}

TEST_CASE("a delayed source reads the planes that are wanted", "[delayed]") {
  const auto plain = synthetic(1, {16, 16});
  const auto slow = source::delayed(with_plane(plain, "mask", plain), {0, 0, 0});
  CHECK(slow.planes() == std::vector<std::string>{"mask"});
  MemorySink all, none;
  none.want({});
  CHECK_FALSE(slow.read(0, all).planes[0].empty());
  CHECK(slow.read(0, none).planes[0].empty());
  CHECK(none.parts().size() == 1);
}

TEST_CASE("a read that is refused its bytes does not wait", "[delayed]") {
  const auto slow = source::delayed(synthetic(1, {16, 16}), {3'600'000, 0, 0});
  MemorySink full(0);
  CHECK_FALSE(slow.try_read(0, full));
}

namespace {

std::vector<double> draws(const source::ReadDelay& delay, std::uint64_t count) {
  std::vector<double> drawn(count);
  for (std::uint64_t i = 0; i < count; ++i) drawn[i] = delay.of(i).count();
  return drawn;
}

}  // namespace

TEST_CASE("log-normal delays have the requested mean and deviation", "[delayed]") {
  struct Case {
    double mean, deviation;
  };
  const auto [mean, deviation] = GENERATE(Case{50, 20}, Case{200, 10}, Case{5, 5});
  CAPTURE(mean, deviation);
  constexpr std::uint64_t count = 200'000;
  auto drawn = draws({mean, deviation, 7}, count);
  const auto sum = std::accumulate(drawn.begin(), drawn.end(), 0.0);
  double squares = 0;
  for (const auto ms : drawn) squares += (ms - sum / count) * (ms - sum / count);
  // Six standard errors of the mean. The error of the deviation grows with the tail.
  CHECK(std::abs(sum / count - mean) < 6 * deviation / std::sqrt(count));
  CHECK(std::abs(std::sqrt(squares / count) / deviation - 1) < 0.05);
  CHECK(std::ranges::min(drawn) > 0);
  // Log-normal: the logarithm is symmetric about the median and a sixth lies one sigma above it.
  const double sigma = std::sqrt(std::log1p(deviation * deviation / (mean * mean)));
  const double median = mean * std::exp(-sigma * sigma / 2);
  const auto share_above = [&](double sigmas) {
    const auto limit = median * std::exp(sigmas * sigma);
    return static_cast<double>(std::ranges::count_if(drawn, [&](double d) { return d > limit; })) /
           count;
  };
  CHECK(std::abs(share_above(0) - 0.5) < 0.007);
  CHECK(std::abs(share_above(1) - 0.1587) < 0.005);
  CHECK(std::abs(share_above(-1) - 0.8413) < 0.005);
}

TEST_CASE("a delay depends on seed and index alone", "[delayed]") {
  const source::ReadDelay delay(50, 20, 7);
  const auto once = draws(delay, 100);
  CHECK(draws({50, 20, 7}, 100) == once);
  CHECK(delay.of(63).count() == once[63]);
  CHECK_FALSE(draws({50, 20, 8}, 100) == once);
  // Neighbours are independent: their correlation is within chance.
  const auto many = draws(delay, 100'000);
  double together = 0, squares = 0;
  for (std::size_t i = 1; i < many.size(); ++i) {
    together += (many[i] - 50) * (many[i - 1] - 50);
    squares += (many[i] - 50) * (many[i] - 50);
  }
  CHECK(std::abs(together / squares) < 0.02);
}

TEST_CASE("a delay without deviation is constant and at most one day", "[delayed]") {
  CHECK(draws({12.5, 0, 3}, 50) == std::vector<double>(50, 12.5));
  const auto tail = draws({8e7, 8e7, 3}, 1000);
  CHECK(std::ranges::max(tail) == 24.0 * 3600 * 1000);
}

TEST_CASE("once a stop is asked for, no read is delayed", "[delayed]") {
  std::stop_source stop;
  const auto slow = source::delayed(synthetic(2, {16, 16}), {3'600'000, 0, 0}, stop.get_token());
  std::string text;
  std::jthread reader([&] { text = read_text(slow, 0); });
  stop.request_stop();
  reader.join();
  CHECK(text == read_text(slow, 0));
  CHECK_FALSE(text.empty());
}
