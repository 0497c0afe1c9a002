#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <utility>

#include "conductor/read_pace.hpp"
#include "engine/context.hpp"
#include "engine/plan_planes.hpp"
#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_plans.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

class SampleSink;

/// Processes one row after another: begin, read, plan, write, finish. Applies Options::on_fault if a
/// step fails. Each thread has one.
class RowWorker {
 public:
  enum class Duty : std::uint8_t { read, decode };

  /// Records times in `thread_stats`, events on `track`, and the current activity in `activity`,
  /// which may be null. Throws std::bad_alloc.
  RowWorker(Shared& shared, Duty duty, ThreadStats& thread_stats, Trace::Track track,
            ThreadActivity* activity);
  RowWorker(const RowWorker&) = delete;
  RowWorker& operator=(const RowWorker&) = delete;

  /// Makes a fresh row the thread's row. Proceeds; or done, if the order has no sample for it: then
  /// the stream ends before this row's batch.
  RowOutcome begin(const conductor::RowRun& run, std::uint32_t number);
  /// Posts the rows that were copied from the cache. Call it after the last row of a run.
  void post_copied() noexcept;
  /// Continues a row that arrived or was granted its bytes.
  void take_over(RowPtr next);
  /// A reader proceeds when the bytes are read; a worker is done when the row is done. Never
  /// returns a failure: a failure ends the row, or a replacement is tried.
  RowOutcome run();
  /// Whether the conductor must step, because rows have ended since the last call.
  bool take_step_due() noexcept { return std::exchange(step_due_, false); }
  RowMemory& memory() noexcept { return memory_; }
  /// Since the last call.
  conductor::Reads take_reads() noexcept {
    decoded_ns_ = 0;
    return std::exchange(reads_, {});
  }
  /// The time of reads and decodes since take_reads().
  std::int64_t worked_ns() const noexcept { return reads_.took_ns + decoded_ns_; }

 private:
  /// Takes the samples of the row from the cache, or reads them. Their bytes are admitted before the
  /// source writes them. Proceeds when all bytes are there, parks, or fails.
  RowOutcome read();
  /// Proceeds when the sink has the bytes of all samples; parked, if it has refused some.
  RowOutcome read_samples(SampleSink& sink);
  bool find_kept(RowSample& sample) noexcept;
  /// Decodes the samples and writes the row, and keeps them for later epochs. Done, parks, fails, or is
  /// abandoned.
  RowOutcome decode();
  /// Makes all decisions about the bytes, from the headers. If sizes differ, sets the row's size.
  Result<RowPlan> plan(RowSample& sample);
  Result<RowPlan> plan_encoded(const codec::ImageInfo& info);
  /// If sizes differ: the image keeps its size, within the extent of the sample that the batch was
  /// laid out for.
  Result<codec::FitSpec> own_size(ImageSize found);
  /// The same for a partner: its image has the size of the row.
  codec::FitSpec row_size();
  /// Decodes, writes the annotation, calls the user's transform. Proceeds, fails, or is abandoned.
  RowOutcome write();
  /// Decodes the images of a sample.
  RowOutcome decode_images(RowSample& sample, RowPlan& plan);
  Result<codec::Decoded> decode(const PlannedPlane& image, std::span<std::uint8_t> to);
  RowOutcome decode_plane(std::size_t i, PlannedPlane& plane, const RowPlan& plan);
  /// Records why an optional plane is broken.
  void broken(std::size_t p, const Defect& defect) noexcept;
  /// Keeps the encoded samples or the decoded row.
  void keep() noexcept;
  /// The row of one sample, with what it needed.
  void keep_row(buffer::KeptSample kept) noexcept;
  /// Keeps an encoded sample, with tiles if there is memory for them.
  void keep_tiled(buffer::KeptSample kept) noexcept;
  /// Records the failure of a sample of the row. True if a replacement is tried. Does not need memory.
  bool fail(const Failure& failure) noexcept;
  /// Draws a replacement for that sample. An encoded one must fit in the row's room. False after
  /// most_attempts failures, and if no sample fits. Throws what the order throws.
  bool redraw(Row& row) const;
  void end_stream_here(const std::exception_ptr& error);
  /// `copied`: from the cache. Then it is posted with the next rows of the run.
  void finish(bool ok, RowStatus status, bool copied = false);
  void post(const books::EndedRows& rows) noexcept {
    if (loader_.book->finish_rows(rows)) step_due_ = true;
  }

  std::span<std::byte> scratch() noexcept { return memory_.scratch(plans_.need().scratch); }
  bool stopping() const noexcept { return shared_.stopping.load(std::memory_order_relaxed); }
  bool keeps_rows() const noexcept { return loader_.cache->kind() == Cache::decoded; }

  Shared& shared_;
  LoaderState& loader_;
  RowTimes times_;
  RowMemory memory_;
  conductor::Reads reads_;
  std::int64_t decoded_ns_ = 0;
  std::optional<codec::Decoder> decoder_;  ///< only in workers
  RowPlans plans_;                         ///< only in workers
  /// Rows that were copied from the cache, and are not posted yet. A posting for each would take longer
  /// than its copy, because the books' cache lines move from core to core.
  books::EndedRows copied_{.count = 0};
  bool step_due_ = false;
  std::uint32_t current_ = 0;  ///< the sample of the row in work, which a failure is of
};

}  // namespace weir::engine
