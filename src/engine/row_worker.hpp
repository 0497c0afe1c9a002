#pragma once

#include <cstdint>
#include <exception>
#include <optional>

#include "engine/context.hpp"
#include "engine/plan_planes.hpp"
#include "engine/row_memory.hpp"
#include "engine/row_outcome.hpp"
#include "engine/row_times.hpp"

namespace weir::engine {

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
  RowOutcome begin(const conductor::RowRun& run, std::uint32_t row);
  /// Continues a row that arrived or was granted its bytes.
  void take_over(RowPtr next);
  /// A reader proceeds when the bytes are read; a worker is done when the row is done. Never
  /// returns a failure: a failure ends the row, or a replacement is tried.
  RowOutcome run();
  RowMemory& memory() noexcept { return memory_; }

 private:
  /// Takes the sample from the cache, or reads it. Its bytes are admitted before the source writes
  /// them. Proceeds when all bytes are there, parks, or fails.
  RowOutcome read();
  bool find_kept() noexcept;
  /// Decodes the sample and writes the row, and keeps it for later epochs. Done, parks, fails, or is
  /// abandoned.
  RowOutcome decode();
  /// Makes all decisions about the bytes, from the headers. If sizes differ, sets the row's size.
  Result<RowPlan> plan();
  /// By Options::window or by the fit.
  Result<Window> choose_window(ImageSize upright, const codec::FitSpec& fit);
  Result<RowPlan> plan_encoded(const codec::ImageInfo& info);
  /// If sizes differ: the image keeps its size, within the extent of the sample that the batch was
  /// laid out for.
  Result<codec::FitSpec> own_size(ImageSize found);
  /// Decodes, writes the annotation, calls the user's transform. Proceeds, fails, or is abandoned.
  RowOutcome write(const RowPlan& plan);
  RowOutcome decode_images(const RowPlan& plan, std::span<std::byte> scratch);
  Result<RowStatus> decode(const PlannedPlane& image, std::span<std::byte> scratch,
                           std::span<std::uint8_t> to);
  RowOutcome decode_plane(std::size_t p, const PlannedPlane& plane, const RowPlan& plan,
                          std::span<std::byte> scratch);
  /// Records why an optional plane is broken.
  void broken(std::size_t p, const Defect& defect) noexcept;
  RowOutcome transform(const RowPlan& plan, std::span<std::byte> scratch);
  /// Keeps the encoded sample or the decoded row. `need`: of its decode.
  void keep(const codec::MemoryNeed& need) noexcept;
  /// The same for an encoded sample with tiles, if there is memory for them.
  void keep_tiled(buffer::KeptSample kept) noexcept;
  /// Records the failure. True if a replacement is tried. Does not need memory.
  bool fail(const Failure& failure) noexcept;
  /// Draws a replacement for the row. An encoded one must fit in the row's room. False if there is none
  /// within most_attempts. Throws what the order throws.
  bool redraw(Row& row) const;
  void end_stream_here(const std::exception_ptr& error);
  void finish(bool ok, RowStatus status);

  bool stopping() const noexcept { return shared_.stopping.load(std::memory_order_relaxed); }
  bool keeps_rows() const noexcept { return loader_.cache->kind() == Cache::decoded; }

  Shared& shared_;
  LoaderState& loader_;
  RowTimes times_;
  RowMemory memory_;
  std::optional<codec::Decoder> decoder_;  ///< only in workers
};

}  // namespace weir::engine
