#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "conductor/intervals.hpp"
#include "conductor/ranked_set.hpp"
#include "source/position.hpp"
#include "weir/order.hpp"

namespace weir::conductor {

/// One batch of a stream: its epoch, and the ordinals of its rows among the positions that the stream
/// delivers in the epoch. In an epoch that begins with the stream, ordinals are positions.
struct BatchSlot {
  std::uint64_t sequence = 0, epoch = 0;
  std::uint64_t first = 0;        ///< ordinal of its first row
  std::uint32_t rows = 0;         ///< 0: the batch is a single padding row
  std::uint64_t step = 0;         ///< number of the batch in its whole epoch
  std::uint64_t global_rows = 0;  ///< rows of the batches of all ranks
  std::uint64_t omitted = 0;  ///< samples of this rank that drop_last leaves out after this batch
  bool last = false;          ///< the last batch of its epoch
};

/// This process among those that train together.
struct Rank {
  std::uint32_t rank = 0, world = 1;
};

/// What decides the batches of an epoch.
struct Batching {
  std::uint64_t samples = 0;  ///< positions of an epoch
  std::uint32_t batch = 1;    ///< rows of one rank
  bool drop_last = false;
  Rank rank{};
  Progress::Buckets buckets{};  ///< without `rows`, which are those of the global batch

  std::uint64_t global_batch() const noexcept { return std::uint64_t{batch} * rank.world; }
};

/// Divides epochs into the batches of one rank. A step is a global batch: `world` batches, one for
/// each rank. A step belongs to one epoch. Every rank has the same number of batches. Immutable.
class Schedule {
 public:
  /// All epochs from `first_epoch` to before `epochs`. `epochs` empty: endless.
  Schedule(const Batching& batching, std::optional<std::uint64_t> epochs,
           std::uint64_t first_epoch = 0);
  /// The positions that `resumed` has not finished. Allocates for their runs: bytes().
  Schedule(const Batching& batching, std::optional<std::uint64_t> epochs, const Progress& resumed);

  /// Batches of an epoch that begins with the stream.
  std::uint64_t batches_per_epoch() const noexcept;
  /// Samples of this rank in such an epoch.
  std::uint64_t samples_per_epoch() const noexcept { return samples_of(parts_.back()); }
  /// Samples of this rank in the batches before `end`; UINT64_MAX if all of an endless stream.
  std::uint64_t samples(std::uint64_t end = UINT64_MAX) const noexcept;
  /// One past the last sequence; UINT64_MAX if endless.
  std::uint64_t end() const noexcept;
  /// `sequence` must be below end().
  BatchSlot at(std::uint64_t sequence) const noexcept;
  /// The position with this ordinal in the batch's epoch.
  source::Position position(const BatchSlot& batch, std::uint64_t ordinal) const noexcept;
  /// The global batch that cuts the buckets of the batch's epoch.
  std::uint64_t bucket_rows(const BatchSlot& batch) const noexcept;
  /// The largest bucket_rows() of all epochs.
  std::uint64_t most_bucket_rows() const noexcept;
  /// Samples that drop_last leaves out because their epochs have no batch.
  std::uint64_t omitted_without_batch() const noexcept { return omitted_without_batch_; }
  /// One past the last batch of this batch's epoch.
  std::uint64_t end_of_epoch(std::uint64_t sequence) const noexcept;
  /// Whether it continues a Progress.
  bool resumed() const noexcept { return parts_.size() > 1; }
  /// Bytes of what is resumed.
  std::uint64_t bytes() const noexcept {
    return rest_bytes_ + (parts_.capacity() - 1) * sizeof(Part);
  }

  /// Progress::epochs of a stream whose batches `finished` are finished. `all_ranks`: on all ranks;
  /// otherwise on this one.
  std::vector<Progress::Epochs> progress(const Intervals& finished, bool all_ranks) const;

 private:
  /// Consecutive epochs that deliver the same positions.
  struct Part {
    Progress::Epochs resumed;    ///< as it was when the stream began
    std::uint64_t epochs = 1;    ///< number of epochs, of which the stream may have fewer
    std::uint64_t rows = 0;      ///< positions that are delivered
    std::uint64_t steps = 0;     ///< in one epoch
    std::uint64_t sequence = 0;  ///< of the first batch
    std::uint64_t omitted = 0;   ///< positions that drop_last leaves out of an epoch
    std::shared_ptr<const RankedSet> rest{};  ///< what is delivered; null: all positions
    std::uint64_t last_sequence() const noexcept;
  };
  /// The rows of a rank in a step, and the number of all ranks' rows.
  struct Rows {
    std::uint64_t first, count, global;
  };

  void add(Progress::Epochs epochs, std::uint64_t count);
  const Part& part_of(std::uint64_t sequence) const noexcept;
  Rows rows_of(std::uint64_t step, std::uint64_t rows) const noexcept;
  std::uint64_t share_of(std::uint64_t count) const noexcept;
  std::uint64_t samples_of(const Part& part) const noexcept;
  Runs finished_positions(const Part& part, const Intervals& steps, bool all_ranks,
                          std::uint64_t end) const;
  void add_progress(const Part& part, const Intervals& finished, bool all_ranks,
                    std::vector<Progress::Epochs>& to) const;

  Batching batching_;
  std::vector<Part> parts_;  ///< ascending; at least one
  std::uint64_t end_ = 0;
  std::uint64_t omitted_without_batch_ = 0, rest_bytes_ = 0;
};

}  // namespace weir::conductor
