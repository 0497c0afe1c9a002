#include "engine/time_histogram.hpp"

#include <numeric>

namespace weir::engine {

void TimeHistogram::add(Clock::duration time) noexcept {
  counts_[time_bins::bin_of(seconds(time))].fetch_add(1, std::memory_order_relaxed);
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
  return time_bins::quantile_s(counts, quantile);
}

}  // namespace weir::engine
