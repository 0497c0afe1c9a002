#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "base/time_bins.hpp"

namespace weir::engine {

/// A histogram of durations, with bins 4 % wide from 10 ns to 1000 s. Any quantile is exact within
/// 2 %. Thread-safe; add() does not allocate or block.
class TimeHistogram {
 public:
  void add(Clock::duration time) noexcept {
    counts_[time_bins::bin_of(seconds(time))].fetch_add(1, std::memory_order_relaxed);
  }

  /// Counts by bin. The sum of two histograms' counts is the histogram of all their times.
  using Counts = std::vector<std::uint64_t>;
  void add_to(Counts& counts) const {
    counts.resize(counts_.size());
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      counts[bin] += counts_[bin].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, time_bins::counters> counts_{};
};

}  // namespace weir::engine
