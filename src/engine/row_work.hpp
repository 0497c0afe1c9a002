#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

#include "base/defect.hpp"
#include "engine/context.hpp"
#include "engine/post.hpp"

namespace weir::engine {

/// What became of a sample after a turn.
enum class Turn : std::uint8_t {
  done,       ///< its row has ended
  parked,     ///< refused bytes: the board keeps it
  read,       ///< its bytes are there
  abandoned,  ///< the stream is stopping
};

/// What workers and readers do with one row: read, decode, fail, finish. One a thread; keeps that
/// thread's memory and decoder.
class RowWork {
 public:
  enum class Duty : std::uint8_t { read, decode };

  /// Notes its times in `lane`, a worker's own, its events on `track`, and what it is at in `post`,
  /// which may be null. Throws std::bad_alloc.
  RowWork(Shared& shared, Duty duty, Lane& lane, Trace::Track track, Post* post);

  /// Makes `memory().sample` the sample of a fresh row.
  void begin(const conductor::RowRun& run, std::uint32_t row);
  /// Goes on with a sample that arrived or was granted its bytes.
  void take_over(SamplePtr next);
  /// Reads only.
  Turn read();
  /// Reads where that is still to do, decodes, ends the row.
  Turn read_and_decode();
  WorkerMemory& memory() noexcept { return memory_; }

 private:
  class Sink;

  Sample& sample() noexcept { return *memory_.sample; }
  Turn attempt(bool decode_too);
  Turn let_go(Turn turn) noexcept;
  std::optional<Turn> read_bytes(std::optional<Defect>& defect, std::exception_ptr& thrown);
  std::optional<Turn> decode_row(std::optional<Defect>& defect, std::exception_ptr& thrown);
  std::optional<Turn> transform_row(std::optional<Defect>& defect, std::exception_ptr& thrown);
  void apply(DecodedSample& given, std::optional<Defect>& defect, std::exception_ptr& thrown);
  // -- a cache
  /// The sample's bytes, or its row, are there already: it need not be read.
  bool find_kept() noexcept;
  /// What was read, or what came of it, is kept for later epochs.
  void keep(RowStatus status) noexcept;
  /// Ends the row with what was kept of it.
  void deliver_kept() noexcept;
  bool keeps(Cache kind) const noexcept { return core_.cache && core_.cache->kind() == kind; }
  /// Index of what stands in for the row after its failures so far.
  std::uint64_t replacement() const noexcept;
  /// Key of the draws of this attempt at the row.
  std::uint64_t draw() const noexcept;
  /// Scratch for the row, or why there is none: a defect, or a turn.
  std::optional<Turn> admit(const codec::MemoryNeed& need, std::optional<Defect>& defect);
  void fill_side(std::optional<Defect>& defect);
  // -- where sizes differ
  /// What this image is fitted to in the row's place; empty: why not is in `defect`.
  std::optional<codec::FitSpec> fit_in_place(const codec::ImageInfo& info,
                                             std::optional<Defect>& defect);
  /// The image is there: its size is noted, and what it leaves of a ragged place is zeroed.
  void note_size() noexcept;
  /// What the fit wrote, or the transform is to.
  MutableImageView row_view() const noexcept;

  void note_decoded(Clock::time_point begun, std::chrono::nanoseconds fit);
  bool ensure(buffer::Block& block, std::uint64_t bytes, std::uint64_t beside);
  void park();
  /// Records; true where a replacement is to be tried. Needs no memory.
  bool fail(const Defect& defect, const std::exception_ptr& thrown) noexcept;
  /// Of the fault, in words; empty where there is no memory for them.
  std::string record(const Defect& defect) noexcept;
  void end_stream_here(const std::exception_ptr& error);
  void finish(bool ok, RowStatus status);
  void release_memory() noexcept;
  void note(Stage stage, Clock::time_point begun, Clock::time_point ended) noexcept {
    if (core_.trace) core_.trace->sample(stage, track_, begun, ended, sample().row, sample().index);
  }
  void note_bytes() const noexcept {
    if (core_.trace) core_.trace->sample_bytes(book_);
  }

  Shared& shared_;
  Core& core_;
  books::Book& book_;
  Lane& lane_;
  StageCpu read_cpu_, decode_cpu_;
  const Trace::Track track_;
  Post* const post_;
  std::optional<codec::Decoder> decoder_;  ///< of workers alone
  WorkerMemory memory_;
  const bool sizes_differ_;
  ImageSize size_{};  ///< that the row's image gets, where sizes differ
};

}  // namespace weir::engine
