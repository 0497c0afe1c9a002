#pragma once

#include <chrono>
#include <cstdint>

#include "engine/context.hpp"
#include "engine/sample.hpp"
#include "engine/thread_activity.hpp"

namespace weir::engine {

/// Where one thread notes what its rows took: in its lane, in the trace, and for the watchdog what it is
/// at.
class RowTimes {
 public:
  /// `worker`: reads take of a worker's time. `post` null: nobody watches.
  RowTimes(Core& core, ThreadStats& thread_stats, bool worker, Trace::Track track,
           ThreadActivity* activity) noexcept
      : core_(core),
        thread_stats_(thread_stats),
        worker_(worker),
        track_(track),
        activity_(activity),
        read_cpu_(thread_stats, Stage::read),
        decode_cpu_(thread_stats, Stage::decode) {}

  ActivityScope at(Stage stage, const Sample& s, Clock::time_point since) const noexcept {
    return {activity_, stage, s.row, s.index, since};
  }
  /// Null where the thread only reads.
  ThreadStats* worker_stats() const noexcept { return worker_ ? &thread_stats_ : nullptr; }
  /// The sample waited for the bytes that it has been granted.
  void waited(const Sample& s) noexcept;
  void read_begins() noexcept { read_cpu_.begins(); }
  void read_ends(const Sample& s, Clock::time_point begun, Clock::time_point ended) noexcept;
  void decode_begins(Clock::time_point now) noexcept;
  /// Of the decode under way, spent fitting.
  void fitted(std::chrono::nanoseconds time) noexcept { fit_ += time; }
  /// `written`: bytes of the row.
  void decode_ends(const Sample& s, std::uint64_t written) noexcept;
  /// The books have changed.
  void bytes() const noexcept {
    if (core_.trace) core_.trace->sample_bytes(*core_.book);
  }

 private:
  void span(Stage stage, const Sample& s, Clock::time_point begun,
            Clock::time_point ended) const noexcept {
    if (core_.trace) core_.trace->sample(stage, track_, begun, ended, s.row, s.index);
  }

  Core& core_;
  ThreadStats& thread_stats_;
  const bool worker_;
  const Trace::Track track_;
  ThreadActivity* const activity_;
  StageCpu read_cpu_, decode_cpu_;
  Clock::time_point decode_begun_{};
  std::chrono::nanoseconds fit_{};
};

}  // namespace weir::engine
