#pragma once

#include <deque>
#include <optional>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "engine/context.hpp"
#include "engine/standstill.hpp"
#include "engine/thread_activity.hpp"

namespace weir::engine {

/// Checks a stream periodically on the strand and reports each stall once. A stall means that the
/// consumer waited for `after` while the oldest unfinished row stayed the same. It also
/// reports a consumer that does not call next() or waits for its own lease, and a stream that does
/// not end. On the hot path, each thread only records its activity in its own ThreadActivity.
class Watchdog {
 public:
  Watchdog(Shared& shared, Clock::duration after) : shared_(shared), after_(after) {}

  /// The activity of one more thread.
  ThreadActivity& add_activity() {
    Lock lock(mutex_);
    return activities_.emplace_back();
  }
  /// The last thread that was added did not start.
  void drop_activity() noexcept {
    Lock lock(mutex_);
    activities_.pop_back();
  }
  Clock::duration interval() const noexcept;
  /// `waits_for_lease`: since when the consumer waits for its own lease. `stops`: since when the
  /// stream is stopping.
  struct Known {
    std::optional<Clock::time_point> waits_for_lease, stops;
    bool all_opened = false;  ///< no batch is known that has not been opened
    bool has_request = true;  ///< a batch is asked for that was not taken
  };
  void look(const Known& known, Clock::time_point now);

 private:
  Shared& shared_;
  const Clock::duration after_;
  Mutex mutex_;
  std::deque<ThreadActivity> activities_ WEIR_GUARDED_BY(mutex_);
  books::RowKey oldest_ = books::no_row;
  Clock::time_point oldest_since_{};
  std::optional<Clock::time_point> reported_;  ///< start of the stall that was reported last
};

}  // namespace weir::engine
