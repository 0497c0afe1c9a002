#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"

namespace weir::engine {

/// How often something took how long, in bins 4 % wide from 10 ns to 1000 s: any quantile within
/// 2 %. Any thread; add() neither allocates nor blocks.
class TimeHistogram {
 public:
  TimeHistogram();
  ~TimeHistogram();
  TimeHistogram(const TimeHistogram&) = delete;
  TimeHistogram& operator=(const TimeHistogram&) = delete;

  void add(Clock::duration time) noexcept;

  /// Counts by bin. Those of several histograms add up to that of all their times.
  using Counts = std::vector<std::uint64_t>;
  void add_to(Counts& counts) const;
  static std::uint64_t total(const Counts& counts) noexcept;
  /// Seconds that the share `quantile` of the times took at most (nearest rank); empty where there
  /// are none.
  static std::optional<double> at(const Counts& counts, double quantile);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace weir::engine
