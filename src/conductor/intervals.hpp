#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/progress.hpp"

namespace weir::conductor {

/// Numbers first .. end-1.
struct Interval {
  std::uint64_t first = 0, end = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A set of numbers: intervals that are ascending, not empty, and neither overlap nor touch.
using Intervals = std::vector<Interval>;

/// Sorts and joins.
Intervals joined(Intervals intervals);
/// The numbers below `size` that are not in `set`.
Intervals without(std::uint64_t size, const Intervals& set);
/// The number of elements.
std::uint64_t count(const Intervals& set) noexcept;

/// The set as runs of intervals of equal length and distance. The same set always gives the same
/// runs.
std::vector<Progress::Run> runs_of(const Intervals& set);
/// The set of the runs.
Intervals intervals_of(std::span<const Progress::Run> runs);

/// A set whose elements can be addressed by their rank. Immutable.
class RankedSet {
 public:
  explicit RankedSet(Intervals set);
  std::uint64_t size() const noexcept { return size_; }
  /// The element with this rank, below size().
  std::uint64_t at(std::uint64_t rank) const noexcept;
  /// Adds the elements with ranks first .. end-1 to `to`.
  void append(Interval ranks, Intervals& to) const;
  std::uint64_t bytes() const noexcept { return pieces_.capacity() * sizeof(Piece); }

 private:
  struct Piece {
    std::uint64_t rank, first, end;
  };
  const Piece* piece_of(std::uint64_t rank) const noexcept;
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace weir::conductor
