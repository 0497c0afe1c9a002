#include "advice/draws.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "base/time_bins.hpp"

namespace weir::advice {

namespace {

std::vector<double> factors_of(std::size_t count, const Service& service, std::uint64_t key) {
  if (!service.sequence.empty()) return service.sequence;
  const auto& times = service.times;
  const auto all = std::accumulate(times.begin(), times.end(), std::uint64_t{0});
  std::vector<double> factors;
  RandomStream random(key);
  if (all > 0) {
    // One time from each of `count` equal parts of the distribution, so that all settings have the
    // same rare slow ones.
    factors.resize(count);
    std::size_t bin = 0;
    std::uint64_t up_to = times[0];
    for (std::size_t i = 0; i < count; ++i) {
      const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      while (static_cast<double>(up_to) <= part * static_cast<double>(all) &&
             bin + 1 < times.size())
        up_to += times[++bin];
      factors[i] = time_bins::middle_of(bin);
    }
    for (auto left = count; left > 1; --left)
      std::swap(factors[left - 1],
                factors[static_cast<std::size_t>(random.uniform() * static_cast<double>(left))]);
    return factors;
  }
  const double variation =
      times.empty() && service.mean_s > 0 ? service.deviation_s / service.mean_s : 0.0;
  if (!(variation > 0)) return {1.0};
  const double sigma = std::sqrt(std::log1p(variation * variation));
  factors.reserve(count + 1);
  while (factors.size() < count) {
    // Box and Muller, A Note on the Generation of Random Normal Deviates, 1958. It gives two at a
    // time.
    const double radius = sigma * std::sqrt(-2 * std::log1p(-random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    factors.push_back(std::exp(radius * std::cos(angle)));
    factors.push_back(std::exp(radius * std::sin(angle)));
  }
  factors.resize(count);
  return factors;
}

}  // namespace

Draws::Draws(std::size_t count, const Service& service, std::uint64_t key)
    : factors_(factors_of(count, service, key)) {
  const double mean =
      std::accumulate(factors_.begin(), factors_.end(), 0.0) / static_cast<double>(factors_.size());
  if (!(mean > 0)) factors_.assign(1, 1.0);
  for (auto& factor : factors_) factor /= mean > 0 ? mean : 1;
  sums_.reserve(factors_.size() + 1);
  sums_.push_back(0);
  for (const auto factor : factors_) sums_.push_back(sums_.back() + factor);
}

double Draws::sum(std::uint64_t first, std::uint64_t count) const noexcept {
  if (count == 1) return (*this)[first];
  const auto round = factors_.size();
  const auto from = static_cast<std::size_t>(first % round);
  const auto to = from + static_cast<std::size_t>(count % round);
  const auto rounds = count / round;
  const double whole = static_cast<double>(rounds) * sums_[round];
  return to <= round ? whole + sums_[to] - sums_[from]
                     : whole + sums_[round] - sums_[from] + sums_[to - round];
}

}  // namespace weir::advice
