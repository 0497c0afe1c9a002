#pragma once

#include <chrono>
#include <deque>
#include <optional>

#include "base/clock.hpp"
#include "weir/advice.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// Measures a loader over the last few seconds. One thread.
class Recent {
 public:
  /// `start`: when the loader was constructed.
  explicit Recent(Clock::time_point start) : start_(start) {}

  /// Takes a report if the last one is at least one second old: a report makes system calls.
  void look(const Loader& loader, Clock::time_point now) {
    if (!seen_.empty() && now - seen_.back().when < second) return;
    seen_.push_back({loader.report(), now});
    while (seen_.size() > 2 && now - seen_[1].when >= 5 * second) seen_.pop_front();
  }
  /// The time from a report about five seconds ago, or from the loader's construction, to the last
  /// report. Empty if that is less than a second: the next lines would show it for a second. Needs a report.
  std::optional<Interval> interval() const {
    const bool is_first = seen_.size() == 1;
    if (is_first && seen_.front().when - start_ < second) return std::nullopt;
    auto recent = is_first ? weir::interval(last()) : weir::interval(seen_.front().report, last());
    if (recent.seconds <= 0) return std::nullopt;
    return recent;
  }
  const Report& last() const { return seen_.back().report; }

 private:
  struct Seen {
    Report report;
    Clock::time_point when;
  };
  static constexpr std::chrono::seconds second{1};

  Clock::time_point start_;
  std::deque<Seen> seen_;
};

}  // namespace weir::cli
