#include "advice/draws.hpp"

#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/random.hpp"
#include "base/time_bins.hpp"

namespace weir::advice {
namespace {

double variation(const Service& service) noexcept {
  return service.mean_s > 0 ? service.deviation_s / service.mean_s : 0.0;
}

}  // namespace

Draws::Draws(std::size_t count, double variation, std::uint64_t key) {
  if (!(variation > 0)) {
    factors_.assign(1, 1.0);
    sums_ = {0.0, 1.0};
    return;
  }
  const double sigma = std::sqrt(std::log1p(variation * variation));
  RandomStream random(key);
  factors_.reserve(count + 1);
  while (factors_.size() < count) {
    // Box and Muller, A Note on the Generation of Random Normal Deviates, 1958. It gives two at a
    // time.
    const double radius = sigma * std::sqrt(-2 * std::log1p(-random.uniform()));
    const double angle = 2 * std::numbers::pi * random.uniform();
    factors_.push_back(std::exp(radius * std::cos(angle)));
    factors_.push_back(std::exp(radius * std::sin(angle)));
  }
  factors_.resize(count);
  scale();
}

Draws::Draws(std::size_t count, const Service& service, std::uint64_t key)
    : Draws(service.sequence.empty() && service.times.empty() ? count : 1,
            service.sequence.empty() && service.times.empty() ? variation(service) : 0, key) {
  if (!service.sequence.empty()) {
    factors_ = service.sequence;
  } else if (const auto all =
                 std::accumulate(service.times.begin(), service.times.end(), std::uint64_t{0});
             all > 0) {
    // One time from each of `count` equal parts of the distribution, so that all settings have the
    // same rare slow ones.
    factors_.resize(count);
    std::size_t bin = 0;
    std::uint64_t up_to = service.times[0];
    for (std::size_t i = 0; i < count; ++i) {
      const double part = (static_cast<double>(i) + 0.5) / static_cast<double>(count);
      while (static_cast<double>(up_to) <= part * static_cast<double>(all) &&
             bin + 1 < service.times.size())
        up_to += service.times[++bin];
      factors_[i] = time_bins::middle_of(bin);
    }
    RandomStream random(key);
    for (auto left = count; left > 1; --left)
      std::swap(factors_[left - 1],
                factors_[static_cast<std::size_t>(random.uniform() * static_cast<double>(left))]);
  } else {
    return;
  }
  scale();
}

void Draws::scale() {
  const double mean =
      std::accumulate(factors_.begin(), factors_.end(), 0.0) / static_cast<double>(factors_.size());
  if (!(mean > 0)) factors_.assign(1, 1.0);
  for (auto& factor : factors_) factor /= mean > 0 ? mean : 1;
  sums_.clear();
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
