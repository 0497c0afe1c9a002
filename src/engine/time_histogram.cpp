#include "engine/time_histogram.hpp"

namespace weir::engine {

void TimeHistogram::add(Clock::duration time) noexcept {
  counts_[time_bins::bin_of(seconds(time))].fetch_add(1, std::memory_order_relaxed);
}

void TimeHistogram::add_to(Counts& counts) const {
  counts.resize(counts_.size());
  for (std::size_t bin = 0; bin < counts.size(); ++bin)
    counts[bin] += counts_[bin].load(std::memory_order_relaxed);
}

}  // namespace weir::engine
