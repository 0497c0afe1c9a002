#include "engine/time_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weir::engine {

namespace {

constexpr double shortest_s = 1e-8, longest_s = 1e3;

}  // namespace

void TimeHistogram::add(Clock::duration time) noexcept {
  const double s = seconds(time);
  std::size_t bin = 0;
  if (s >= longest_s) {
    bin = bins + 1;
  } else if (s >= shortest_s) {
    const double share = std::log(s / shortest_s) / std::log(longest_s / shortest_s);
    bin = 1 + std::min(bins - 1, static_cast<std::size_t>(share * bins));
  }
  counts_[bin].fetch_add(1, std::memory_order_relaxed);
}

void TimeHistogram::add_to(Counts& counts) const {
  counts.resize(counts_.size());
  for (std::size_t bin = 0; bin < counts.size(); ++bin)
    counts[bin] += counts_[bin].load(std::memory_order_relaxed);
}

std::uint64_t TimeHistogram::total(const Counts& counts) noexcept {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

std::optional<double> TimeHistogram::at(const Counts& counts, double quantile) {
  const auto all = total(counts);
  if (all == 0) return std::nullopt;
  const auto rank = std::clamp<std::uint64_t>(
      static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(all))), 1, all);
  std::size_t bin = 0;
  for (auto up_to = counts[0]; up_to < rank;) up_to += counts[++bin];
  // Outside the bins only the nearest edge is known.
  if (bin == 0) return shortest_s;
  if (bin > bins) return longest_s;
  const double middle = (static_cast<double>(bin) - 0.5) / bins;
  return shortest_s * std::pow(longest_s / shortest_s, middle);
}

}  // namespace weir::engine
