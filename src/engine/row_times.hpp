#pragma once

#include <chrono>
#include <cstdint>

#include "engine/context.hpp"
#include "engine/post.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

/// Where one thread notes what its rows took: in its lane, in the trace, and for the watchdog what it is
/// at.
class RowTimes {
 public:
  /// `worker`: reads take of a worker's time. `post` null: nobody watches.
  RowTimes(Core& core, Lane& lane, bool worker, Trace::Track track, Post* post) noexcept
      : core_(core),
        lane_(lane),
        worker_(worker),
        track_(track),
        post_(post),
        read_cpu_(lane, Stage::read),
        decode_cpu_(lane, Stage::decode) {}

  AtPost at(Stage stage, const Sample& s, Clock::time_point since) const noexcept {
    return {post_, stage, s.row, s.index, since};
  }
  /// Null where the thread only reads.
  Lane* workers_lane() const noexcept { return worker_ ? &lane_ : nullptr; }
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
  Lane& lane_;
  const bool worker_;
  const Trace::Track track_;
  Post* const post_;
  StageCpu read_cpu_, decode_cpu_;
  Clock::time_point decode_begun_{};
  std::chrono::nanoseconds fit_{};
};

}  // namespace weir::engine
