#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "focal/loss.hpp"
#include "focal/memory.hpp"
#include "focal/scores.hpp"
#include "support/catch.hpp"

using namespace focal;
using weir::test::Approx;

namespace {

/// The paper's formula, with a significand of 64 bits.
long double as_written(long double x, bool positive, int gamma, long double alpha) {
  const auto p = 1 / (1 + std::exp(-x));
  const auto p_t = positive ? p : 1 - p, alpha_t = positive ? alpha : 1 - alpha;
  return -alpha_t * std::pow(1 - p_t, static_cast<long double>(gamma)) * std::log(p_t);
}

std::vector<float> some_losses() {
  std::mt19937 random(5);
  std::vector<float> losses;
  for (int i = 0; i < 999; ++i)
    losses.push_back(static_cast<float>(
        focal_loss(std::ldexp(static_cast<double>(random()), -29) - 4, i % 3 == 0, 2, 0.25)));
  return losses;
}

}  // namespace

TEST_CASE("focal loss is what the paper's formula says", "[focal]") {
  for (const bool positive : {false, true})
    for (const int gamma : gammas)
      for (double x = -20; x <= 20; x += 0.25) {
        CAPTURE(positive, gamma, x);
        const auto wanted = static_cast<double>(as_written(x, positive, gamma, 0.25L));
        REQUIRE(focal_loss(x, positive, gamma, 0.25) == Approx(wanted).epsilon(1e-9));
      }
  // The paper's own example (section 3.2): at p_t = 0.9 and γ = 2 the loss is a hundredth of the cross entropy.
  const double x = std::log(9.0);
  CHECK(focal_loss(x, true, 0, 0.5) / focal_loss(x, true, 2, 0.5) == Approx(100));
}

TEST_CASE("focal loss is finite and keeps its digits for any logit", "[focal]") {
  for (const int gamma : gammas) {
    CAPTURE(gamma);
    CHECK(focal_loss(-1000, true, gamma, 0.25) == Approx(250));
    CHECK(focal_loss(1e6, false, gamma, 0.25) == Approx(0.75e6));
    CHECK(focal_loss(1e6, true, gamma, 0.25) == 0);
    // The cross entropy is e^-40. There 1 - p_t is 0 as a double.
    CHECK(focal_loss(40, true, gamma, 1) == Approx(std::exp(-40.0 * (gamma + 1))));
  }
}

TEST_CASE("the curve of losses is the same to the bit in any order", "[focal]") {
  auto losses = some_losses();
  const auto curve = accumulate(std::span(losses), 101);
  CHECK(curve.share.front() == 0);
  CHECK(curve.share.back() == 1);
  CHECK(std::is_sorted(curve.share.begin(), curve.share.end()));
  CHECK(curve.share[50] < 0.5);

  auto again = some_losses();
  std::shuffle(again.begin(), again.end(), std::mt19937(6));
  const auto other = accumulate(std::span(again), 101);
  CHECK(other.total == curve.total);
  CHECK(other.share == curve.share);
}

TEST_CASE("equal losses make a straight line and zero losses a flat one", "[focal]") {
  std::vector<float> losses(400, 0.5F);
  const auto curve = accumulate(std::span(losses), 5);
  CHECK(curve.total == 200);
  CHECK(curve.share == std::vector{0.0, 0.25, 0.5, 0.75, 1.0});
  std::vector<float> none(10, 0.0F);
  CHECK(accumulate(std::span(none), 3).share == std::vector{0.0, 0.0, 0.0});
}

TEST_CASE("losses too small for their precision are counted", "[focal]") {
  std::pmr::memory_resource& heap = *std::pmr::new_delete_resource();
  Scores<weir::float16> scores(4, heap);
  for (std::size_t i = 0; i < 4; ++i) {
    scores.logits[i] = weir::narrow<weir::float16>(4);
    scores.positive[i] = i == 0;
  }
  const auto curves = curves_of(scores, 0.25, heap);
  CHECK(curves.samples == std::array<std::uint64_t, 2>{3, 1});
  CHECK(curves.zeros[0] == std::array<std::uint64_t, 5>{});
  // 0.25 · σ(-4)^8 · softplus(-4) is 5e-17. The smallest float16 is 6e-8.
  CHECK(curves.zeros[1] == std::array<std::uint64_t, 5>{0, 0, 1, 1, 1});
}

TEST_CASE("a caller's own memory is on the books and within the budget", "[focal]") {
  weir::MemoryLedger ledger(1000);
  {
    OnTheBooks memory(ledger);
    std::pmr::vector<char> held(600, &memory);
    CHECK(ledger.snapshot()[weir::Account::cache] == 600);
    CHECK_THROWS_AS(std::pmr::vector<char>(401, &memory), std::bad_alloc);
    std::pmr::vector<char> more(400, &memory);
    CHECK(ledger.snapshot().live == 1000);
  }
  CHECK(ledger.snapshot().live == 0);
  CHECK(ledger.snapshot().peak == 1000);
}
