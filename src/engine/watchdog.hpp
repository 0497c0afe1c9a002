#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/clock.hpp"
#include "engine/context.hpp"
#include "engine/standstill.hpp"
#include "engine/thread_activity.hpp"

namespace weir::engine {

/// Looks at a stream now and then, on the strand, and says once of each stall what it waits for. A
/// stall: the consumer has waited, and the oldest unfinished row has been the same, for as long as
/// the options say. A consumer that does not ask, or waits for a lease of its own, is told of as what
/// it is, and a stream that does not come to its end, too. What happens on the hot path is that threads say what they are at, in a Post of their own.
class Watchdog {
 public:
  Watchdog(Shared& shared, std::uint32_t threads);

  /// Of one thread.
  ThreadActivity& activity(std::uint32_t thread) noexcept { return activities_[thread]; }
  Clock::duration interval() const noexcept;
  /// Since when the consumer has waited for a lease of its own, and the stream has been stopping.
  struct Known {
    std::optional<Clock::time_point> waits_for_lease, stops;
  };
  void look(const Known& known, Clock::time_point now);

 private:
  Shared& shared_;
  std::deque<ThreadActivity> activities_;
  books::RowKey oldest_ = books::no_row;
  Clock::time_point oldest_since_{};
  std::optional<Clock::time_point> reported_;  ///< since when the stall lasts that was told of
};

}  // namespace weir::engine
