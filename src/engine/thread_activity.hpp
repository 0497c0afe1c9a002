#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "books/waiters.hpp"
#include "weir/error.hpp"

namespace weir::engine {

/// The current activity of one thread, for the watchdog.
struct Activity {
  bool busy = false;
  Stage stage = Stage::read;
  books::RowKey row{};
  std::uint64_t index = 0;  ///< of the source
  Clock::time_point since{};
};
using ThreadActivity = Guarded<Activity>;

/// A sample whose bytes were refused.
struct ParkedSample {
  books::Claim claim;
  std::uint64_t index = 0;  ///< of the source
  Clock::time_point since{};
};

/// Sets the thread's activity from construction to destruction.
class ActivityScope {
 public:
  /// `activity` null: there is no watchdog.
  ActivityScope(ThreadActivity* activity, Stage stage, books::RowKey row, std::uint64_t index,
                Clock::time_point since) noexcept
      : activity_(activity) {
    if (activity_) activity_->set({true, stage, row, index, since});
  }
  ~ActivityScope() {
    if (activity_) activity_->set({});
  }
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  ThreadActivity* const activity_;
};

}  // namespace weir::engine
