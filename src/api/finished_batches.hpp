#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>

#include "base/mutex.hpp"
#include "conductor/intervals.hpp"

namespace weir::api {

/// The finished batches of a schedule. It has one interval more than there are unfinished batches in
/// between. Thread-safe.
class FinishedBatches {
 public:
  explicit FinishedBatches(std::uint32_t max_leases) {
    const Lock lock(mutex_);
    batches_.reserve(std::size_t{max_leases} + 2);
  }

  conductor::Intervals read() const WEIR_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    return batches_;
  }
  /// Batches that were not finished before. Without memory for one more interval, they stay
  /// unfinished and come again.
  void add_all(conductor::Interval next) noexcept WEIR_EXCLUDES(mutex_) {
    if (next.first == next.end) return;
    const Lock lock(mutex_);
    const auto after =
        std::ranges::upper_bound(batches_, next.first, {}, &conductor::Interval::first);
    const auto before = after == batches_.begin() ? batches_.end() : std::prev(after);
    const bool joins_before = before != batches_.end() && before->end == next.first;
    const bool joins_after = after != batches_.end() && after->first == next.end;
    if (joins_before && joins_after) {
      before->end = after->end;
      batches_.erase(after);
    } else if (joins_before) {
      before->end = next.end;
    } else if (joins_after) {
      after->first = next.first;
    } else {
      try {
        batches_.insert(after, next);
      } catch (const std::bad_alloc&) {
      }
    }
  }

 private:
  mutable Mutex mutex_;
  conductor::Intervals batches_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::api
