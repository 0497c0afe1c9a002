#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "weir/advice.hpp"
#include "weir/report.hpp"

namespace weir::cli {

/// Measures a loader over the last few seconds. One thread.
class Recent {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// True if the last report is at least one second old.
  bool due(Instant now) const;
  void add(const Report& report, Instant now);
  /// The time from a report about five seconds ago, or from the loader's construction, to the last
  /// report. Empty if there is no report yet or no time has passed.
  std::optional<Interval> interval() const;
  /// The setting in effect at the last report. At least one report must exist.
  const Setting& setting() const { return seen_.back().report.setting; }

 private:
  struct Seen {
    Report report;
    Instant when;
  };
  std::deque<Seen> seen_;
};

}  // namespace weir::cli
