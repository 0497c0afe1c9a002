#pragma once

#include <cstdint>
#include <optional>

namespace weir::conductor {

/// One batch of a stream: which positions of which epoch.
struct BatchSlot {
  std::uint64_t sequence = 0, epoch = 0;
  std::uint64_t first = 0;  ///< position in the epoch of its first row
  std::uint32_t rows = 0;
  std::uint64_t omitted = 0;  ///< samples of the epoch that drop_last leaves out behind this batch
};

/// Cuts epochs into batches. A batch belongs to one epoch. Pure.
class Schedule {
 public:
  /// `epochs` empty: endless.
  Schedule(std::uint64_t dataset_size, std::uint32_t batch, bool drop_last,
           std::optional<std::uint64_t> epochs) noexcept;
  std::uint64_t batches_per_epoch() const noexcept { return per_epoch_; }
  /// One past the last sequence; UINT64_MAX: endless.
  std::uint64_t end() const noexcept { return end_; }
  /// sequence < end().
  BatchSlot at(std::uint64_t sequence) const noexcept;

 private:
  std::uint64_t size_;
  std::uint32_t batch_;
  std::uint64_t per_epoch_, end_;
};

}  // namespace weir::conductor
