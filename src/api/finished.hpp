#pragma once

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "conductor/intervals.hpp"

namespace weir::api {

/// The batches of one stream that the trainer has finished. Receipts share it, so it may outlive the
/// stream. Thread-safe. It has one interval more than there are unfinished batches in between.
class Finished {
 public:
  explicit Finished(std::uint32_t max_leases) {
    const Lock lock(mutex_);
    batches_.reserve(std::size_t{max_leases} + 2);
  }

  /// Does nothing in a child of fork(). Without memory for one more interval, the batch stays
  /// unfinished and comes again.
  void add(std::uint64_t sequence) noexcept WEIR_EXCLUDES(mutex_) {
    if (fork_guard_.in_child()) return;
    const Lock lock(mutex_);
    const auto after =
        std::ranges::upper_bound(batches_, sequence, {}, &conductor::Interval::first);
    const auto before = after == batches_.begin() ? batches_.end() : std::prev(after);
    const bool joins_before = before != batches_.end() && before->end == sequence;
    const bool joins_after = after != batches_.end() && after->first == sequence + 1;
    if (joins_before && joins_after) {
      before->end = after->end;
      batches_.erase(after);
    } else if (joins_before) {
      ++before->end;
    } else if (joins_after) {
      --after->first;
    } else {
      try {
        batches_.insert(after, {sequence, sequence + 1});
      } catch (const std::bad_alloc&) {
      }
    }
  }
  conductor::Intervals read() const WEIR_EXCLUDES(mutex_) {
    const Lock lock(mutex_);
    return batches_;
  }

 private:
  const ForkGuard fork_guard_;
  mutable Mutex mutex_;
  conductor::Intervals batches_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::api
