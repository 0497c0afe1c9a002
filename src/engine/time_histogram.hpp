#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace weir::engine {

/// How often something took how long, in bins 4 % wide from 10 ns to 1000 s: any quantile within
/// 2 %. Any thread; add() neither allocates nor blocks.
class TimeHistogram {
 public:
  void add(Clock::duration time) noexcept;

  /// Counts by bin. Those of several histograms add up to that of all their times.
  using Counts = std::vector<std::uint64_t>;
  void add_to(Counts& counts) const;
  static std::uint64_t total(const Counts& counts) noexcept;
  /// Seconds that the share `quantile` of the times took at most (nearest rank); empty where there
  /// are none.
  static std::optional<double> at(const Counts& counts, double quantile);

 private:
  /// ln(1e11) / ln(1.04): the middle of a bin is within 2 % of either edge.
  static constexpr std::size_t bins = 646;
  /// The times below the first bin and above the last one come first and last.
  std::array<std::atomic<std::uint64_t>, bins + 2> counts_{};
};

}  // namespace weir::engine
