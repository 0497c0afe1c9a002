#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "weir/order.hpp"

namespace weir::conductor {

/// Numbers first .. end-1.
struct Interval {
  std::uint64_t first = 0, end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A set of numbers: intervals that are ascending, not empty, and neither overlap nor touch.
using Intervals = std::vector<Interval>;

/// A set of numbers as runs of intervals of equal length and distance, ascending and without
/// overlap. A short text can name a run of any number of intervals, so nothing makes a list of them.
using Runs = std::vector<Progress::Run>;

/// The interval `nth` of a run.
inline Progress::Run interval_of(const Progress::Run& run, std::uint64_t nth) noexcept {
  const auto shift = nth * run.distance;
  return {run.first + shift, run.end + shift};
}
inline std::uint64_t length_of(const Progress::Run& run) noexcept { return run.end - run.first; }

/// More runs than a file of progress holds. They need 128 MiB.
inline constexpr std::uint64_t most_runs = 1u << 22;

/// Makes the runs of a set whose parts are added in ascending order of their first numbers. Parts
/// may overlap. The same set always gives the same runs.
class RunMaker {
 public:
  /// Leaves out the numbers from `end` on.
  explicit RunMaker(std::uint64_t end = unlimited) noexcept : end_(end) {}

  void add(Interval next);
  /// The intervals of the run must not overlap or touch.
  void add(Progress::Run run);
  /// The runs so far, without the last interval.
  std::uint64_t size() const noexcept { return runs_.size(); }
  Runs take() &&;

 private:
  void close();
  Runs runs_;
  Interval open_;  ///< the last interval, which the next part may extend
  std::uint64_t end_;
};

/// The numbers below `end` that are in any of the sets. Throws Error{bad_options} if they are more
/// than most_runs.
Runs joined(std::span<const std::span<const Progress::Run>> sets, std::uint64_t end);
/// The numbers below `end` that are not in `set`.
Runs without(std::uint64_t end, std::span<const Progress::Run> set);

}  // namespace weir::conductor
