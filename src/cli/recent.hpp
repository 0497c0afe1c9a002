#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "weir/window.hpp"

namespace weir::cli {

/// What a loader did in the last few seconds. One thread.
class Recent {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  /// Whether a report is due: the last one is a second old.
  bool due(Instant now) const;
  void add(const Report& report, Instant now);
  /// From a report some five seconds old, or the loader's construction, to the last one. Empty
  /// where there is none yet, or no time passed.
  std::optional<Window> window() const;
  /// In force when the last report was made; there is one.
  const Setting& setting() const { return seen_.back().report.setting; }

 private:
  struct Seen {
    Report report;
    Instant when;
  };
  std::deque<Seen> seen_;
};

}  // namespace weir::cli
