#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "engine/context.hpp"
#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

/// Processes one row after another: read, plan, write. Applies Options::on_fault if a step fails.
/// Each thread has one.
class RowWork {
 public:
  enum class Duty : std::uint8_t { read, decode };

  /// Records times in `thread_stats`, events on `track`, and the current activity in `activity`,
  /// which may be null. Throws std::bad_alloc.
  RowWork(Shared& shared, Duty duty, ThreadStats& thread_stats, Trace::Track track,
          ThreadActivity* activity);
  RowWork(const RowWork&) = delete;
  RowWork& operator=(const RowWork&) = delete;

  /// Makes a fresh row the thread's sample. Proceeds; or done, if the order has no sample for it:
  /// then the stream ends before this row's batch.
  RowOutcome begin(const conductor::RowRun& run, std::uint32_t row);
  /// Continues a sample that arrived or was granted its bytes.
  void take_over(SamplePtr next);
  /// A reader proceeds when the bytes are read; a worker is done when the row is done. Never
  /// returns a failure: a failure ends the row, or a replacement is tried.
  RowOutcome run();
  RowMemory& memory() noexcept { return memory_; }

 private:
  RowOutcome attempt();
  RowOutcome decode();
  /// Records the failure. True if a replacement is tried. Does not need memory.
  bool fail(const Failure& failure) noexcept;
  /// Draws a replacement for the row. An encoded one must fit in the row's room. False if there is none
  /// within most_attempts. Throws what the order throws.
  bool redraw(Sample& sample) const;
  void end_stream_here(const std::exception_ptr& error);
  void finish(bool ok, RowStatus status);

  Shared& shared_;
  books::Book& book_;
  RowTimes times_;
  RowMemory memory_;
  std::optional<codec::Decoder> decoder_;  ///< only in workers
};

}  // namespace weir::engine
