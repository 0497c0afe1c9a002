#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "codec/placement.hpp"
#include "codec/resampler.hpp"

namespace weir::codec {

/// Takes the lines of `source` from top to bottom and writes the target as they come: by a Resampler, an
/// exact copy where nothing is resampled, turned and mirrored on the way.
class RowSink {
 public:
  /// Memory it works in, to be aligned to 64.
  static std::uint64_t memory_bytes(const Placement& placement) noexcept;
  RowSink(const Placement& placement, std::byte* memory, std::uint8_t* row) noexcept;

  /// The next line, of source.width pixels; `overrun` bytes behind it can be read.
  void put(const std::uint8_t* line) noexcept;
  /// Lines put so far.
  std::uint32_t count() const noexcept { return count_; }
  /// About the time spent in put(): one line of sixteen is measured.
  std::chrono::nanoseconds spent() const noexcept { return spent_; }

 private:
  void take(const std::uint8_t* line) noexcept;
  void put(std::uint32_t patch_row, const std::uint8_t* pixels, bool mirror) noexcept;
  /// Where the patch's row begins in the output, and what its pixels are apart.
  std::uint8_t* start_of(std::uint32_t patch_row) const noexcept;

  const Placement placement_;
  std::uint8_t* const row_;
  std::uint8_t* transposed_ = nullptr;  ///< a resampled line that becomes a column
  Resampler resampler_;
  std::uint32_t count_ = 0;
  std::chrono::nanoseconds spent_{0};
};

/// Zeroes what of the row lies outside `target`.
void zero_around(const Rect& target, const Shape& out, std::uint8_t* row);

}  // namespace weir::codec
