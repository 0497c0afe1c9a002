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
  return !std::condition_variable_any().wait_for(lock, stop, time,
                                                 [&] { return stop.stop_requested(); });
}

}  // namespace weir
