#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace weir::books {

/// The batches that the consumer has released: all before `next`, and those beyond it. Batches beyond
/// are kept as runs of consecutive ones. A leased batch lies between two runs, so there are no more
/// runs than leases, however long the oldest lease is kept.
class ReleasePrefix {
 public:
  ReleasePrefix() = default;
  /// Allocates room for the runs of `beyond` and of `leases` batches. With more leases, add()
  /// allocates.
  ReleasePrefix(std::uint64_t next, std::vector<std::uint64_t> beyond, std::size_t leases)
      : next_(next) {
    std::sort(beyond.begin(), beyond.end());
    for (const auto sequence : beyond) {
      if (sequence < next_ || contains(sequence)) continue;
      if (!runs_.empty() && runs_.back().end == sequence) {
        ++runs_.back().end;
      } else {
        runs_.push_back({sequence, sequence + 1});
      }
    }
    runs_.reserve(runs_.size() + leases + 1);
    absorb();
  }
  /// `sequence` must not be released yet.
  void add(std::uint64_t sequence) noexcept {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), sequence, begins_after);
    const bool joins_after = after != runs_.end() && after->first == sequence + 1;
    const bool joins_before = after != runs_.begin() && std::prev(after)->end == sequence;
    if (joins_before && joins_after) {
      std::prev(after)->end = after->end;
      runs_.erase(after);
    } else if (joins_before) {
      ++std::prev(after)->end;
    } else if (joins_after) {
      --after->first;
    } else {
      runs_.insert(after, {sequence, sequence + 1});
    }
    absorb();
  }
  bool contains(std::uint64_t sequence) const noexcept {
    const auto after = std::upper_bound(runs_.begin(), runs_.end(), sequence, begins_after);
    return sequence < next_ || (after != runs_.begin() && sequence < std::prev(after)->end);
  }
  std::uint64_t next() const noexcept { return next_; }
  /// The batches beyond `next`, ascending.
  std::vector<std::uint64_t> beyond() const {
    std::vector<std::uint64_t> all;
    for (const auto& [first, end] : runs_)
      for (auto sequence = first; sequence < end; ++sequence) all.push_back(sequence);
    return all;
  }
  /// Number of runs, which decides the memory of this object.
  std::size_t runs() const noexcept { return runs_.size(); }

 private:
  struct Run {
    std::uint64_t first, end;  ///< `end` is not released
  };
  static bool begins_after(std::uint64_t sequence, const Run& run) noexcept {
    return sequence < run.first;
  }
  void absorb() noexcept {
    if (runs_.empty() || runs_.front().first != next_) return;
    next_ = runs_.front().end;
    runs_.erase(runs_.begin());
  }

  std::uint64_t next_ = 0;
  std::vector<Run> runs_;
};

}  // namespace weir::books
