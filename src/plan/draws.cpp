#include "plan/draws.hpp"

#include <cmath>
#include <numbers>
#include <numeric>

#include "base/random.hpp"

namespace weir::simulation {

Draws::Draws(std::size_t count, double variation, std::uint64_t key) {
  if (!(variation > 0)) {
    factors_.assign(1, 1.0);
    return;
  }
  const double sigma = std::sqrt(std::log1p(variation * variation));
  RandomStream random(key);
  factors_.reserve(count + 1);
  while (factors_.size() < count) {
    // Box and Muller, A Note on the Generation of Random Normal Deviates, 1958: two at a time.
    const double radius = sigma * std::sqrt(-2 * std::log1p(-random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    factors_.push_back(std::exp(radius * std::cos(angle)));
    factors_.push_back(std::exp(radius * std::sin(angle)));
  }
  factors_.resize(count);
  const double mean =
      std::accumulate(factors_.begin(), factors_.end(), 0.0) / static_cast<double>(count);
  for (auto& factor : factors_) factor /= mean;
}

}  // namespace weir::simulation
