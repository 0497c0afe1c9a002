#pragma once

#include <chrono>
#include <cstdint>

#include "engine/context.hpp"
#include "engine/row.hpp"
#include "engine/stage_cpu.hpp"
#include "engine/thread_activity.hpp"

namespace weir::engine {

/// Records one thread's times in its stats and in the trace, and its activity for the watchdog.
class RowTimes {
 public:
  /// `worker`: reads count as a worker's time. `activity` null: there is no watchdog.
  RowTimes(LoaderState& loader, ThreadStats& thread_stats, bool worker, Trace::Track track,
           ThreadActivity* activity) noexcept
      : loader_(loader),
        thread_stats_(thread_stats),
        worker_(worker),
        track_(track),
        activity_(activity),
        read_cpu_(thread_stats, Stage::read),
        decode_cpu_(thread_stats, Stage::decode) {}

  ActivityScope at(Stage stage, const Row& s, Clock::time_point since) const noexcept {
    return {activity_, stage, s.row, s.own().index, since};
  }
  ThreadStats& stats() const noexcept { return thread_stats_; }
  /// Null if the thread only reads.
  ThreadStats* worker_stats() const noexcept { return worker_ ? &thread_stats_ : nullptr; }
  /// The sample waited for bytes and was granted them.
  void waited(const Row& s) noexcept;
  void read_begins() noexcept { read_cpu_.begins(); }
  void read_ends(const Row& s, Clock::time_point begun, Clock::time_point ended) noexcept;
  void decode_begins(Clock::time_point now) noexcept;
  /// Adds fitting time to the current decode.
  void fitted(std::chrono::nanoseconds time) noexcept { fit_ += time; }
  /// `written`: bytes of the row. Returns the time since decode_begins().
  std::chrono::nanoseconds decode_ends(const Row& s, std::uint64_t written) noexcept;
  /// Records the books after a change.
  void bytes() const noexcept {
    if (loader_.trace) loader_.trace->sample_bytes(*loader_.book);
  }

 private:
  void span(Stage stage, const Row& s, Clock::time_point begun,
            Clock::time_point ended) const noexcept {
    if (loader_.trace) loader_.trace->sample(stage, track_, begun, ended, s.row, s.own().index);
  }

  LoaderState& loader_;
  ThreadStats& thread_stats_;
  const bool worker_;
  const Trace::Track track_;
  ThreadActivity* const activity_;
  StageCpu read_cpu_, decode_cpu_;
  Clock::time_point decode_begun_{};
  std::chrono::nanoseconds fit_{};
};

}  // namespace weir::engine
