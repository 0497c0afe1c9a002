#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "engine/context.hpp"
#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

/// Carries one row after another from its place in the schedule to its end: read, plan, write, and what
/// Options::on_fault says where that fails. One a thread.
class RowWork {
 public:
  enum class Duty : std::uint8_t { read, decode };

  /// Notes its times in `lane`, its events on `track`, and what it is at in `post`, which may be null.
  /// Throws std::bad_alloc.
  RowWork(Shared& shared, Duty duty, ThreadStats& thread_stats, Trace::Track track,
          ThreadActivity* activity);
  RowWork(const RowWork&) = delete;
  RowWork& operator=(const RowWork&) = delete;

  /// Makes the thread's sample that of a fresh row.
  void begin(const conductor::RowRun& run, std::uint32_t row);
  /// Goes on with a sample that arrived or was granted its bytes.
  void take_over(SamplePtr next);
  /// A reader's proceeds once the bytes are there, a worker's is done once the row is. Never a failure:
  /// that ends the row, or its replacement is tried.
  RowOutcome run();
  RowMemory& memory() noexcept { return memory_; }

 private:
  RowOutcome attempt();
  RowOutcome decode();
  /// Records the failure; true where a replacement is to be tried. Needs no memory.
  bool fail(const Failure& failure) noexcept;
  void end_stream_here(const std::exception_ptr& error);
  void finish(bool ok, RowStatus status);

  Shared& shared_;
  books::Book& book_;
  RowTimes times_;
  RowMemory memory_;
  std::optional<codec::Decoder> decoder_;  ///< of workers alone
};

}  // namespace weir::engine
