#pragma once

#include <cstdint>
#include <optional>

namespace weir::conductor {

/// One batch of a stream: its epoch and its positions in the epoch.
struct BatchSlot {
  std::uint64_t sequence = 0, epoch = 0;
  std::uint64_t first = 0;  ///< position of its first row in the epoch
  std::uint32_t rows = 0;
  std::uint64_t omitted = 0;  ///< samples that drop_last leaves out after this batch
};

/// Divides epochs into batches. A batch belongs to one epoch. Immutable.
class Schedule {
 public:
  /// `epochs` empty: endless.
  Schedule(std::uint64_t dataset_size, std::uint32_t batch, bool drop_last,
           std::optional<std::uint64_t> epochs) noexcept;
  std::uint64_t batches_per_epoch() const noexcept { return per_epoch_; }
  /// One past the last sequence; UINT64_MAX if endless.
  std::uint64_t end() const noexcept { return end_; }
  /// `sequence` must be below end().
  BatchSlot at(std::uint64_t sequence) const noexcept;

 private:
  std::uint64_t size_;
  std::uint32_t batch_;
  std::uint64_t per_epoch_, end_;
};

}  // namespace weir::conductor
