#pragma once

#include <condition_variable>
#include <mutex>
#include <stop_token>

#include "base/clock.hpp"

namespace weir {

/// Waits for `time`. Returns false if a stop is requested first.
inline bool pause(const std::stop_token& stop, Clock::duration time) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any change;
  const auto stopped = [&] { return stop.stop_requested(); };
  // A point of time beyond the clock's range would be in the past.
  constexpr Clock::duration most = std::chrono::hours(24);
  for (; time > most; time -= most)
    if (change.wait_for(lock, stop, most, stopped)) return false;
  return !change.wait_for(lock, stop, time, stopped);
}

}  // namespace weir
