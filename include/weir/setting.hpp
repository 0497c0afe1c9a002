#pragma once

#include <compare>
#include <cstdint>

namespace weir {

/// The knobs of a stream. Tuning::automatic and Stream::set_queue_size(), set_workers() change them
/// during the run, but not the batch.
struct Setting {
  std::uint32_t max_queue_size = 1;  ///< batches
  std::uint32_t workers = 1;         ///< threads
  std::uint32_t read_ahead = 0;      ///< reads
  std::uint32_t batch = 1;           ///< images
  /// Compares all fields.
  friend auto operator<=>(const Setting&, const Setting&) = default;
};

}  // namespace weir
