#pragma once

#include "base/clock.hpp"
#include "engine/thread_stats.hpp"

namespace weir::engine {

/// A worker's read, from construction until end() or destruction.
class Reading {
 public:
  /// `thread_stats` null: the time is not recorded.
  Reading(ThreadStats* thread_stats, Clock::time_point begun) noexcept
      : thread_stats_(thread_stats) {
    if (thread_stats_) thread_stats_->read_begins(begun);
  }
  ~Reading() {
    if (thread_stats_) end(Clock::now());
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  void end(Clock::time_point now) noexcept {
    if (thread_stats_) thread_stats_->read_ends(now);
    thread_stats_ = nullptr;
  }

 private:
  ThreadStats* thread_stats_;
};

}  // namespace weir::engine
