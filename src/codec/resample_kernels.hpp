#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::codec {

/// Bytes behind a line that a kernel may read (and not use), and values behind a row it may write.
inline constexpr std::size_t overrun = 64;

/// Columns of a resampling of RGB: column i is made of `taps` pixels from offsets[i] / 3 on, weighted
/// by weights[taps * i] and those behind it.
struct Columns {
  std::uint32_t count = 0, taps = 2;  ///< taps: an even number
  std::uint32_t* offsets = nullptr;
  std::int16_t* weights = nullptr;
  /// Of two taps, by groups of 16 values, each from one vector of 64 bytes that begins at bases[g]; null
  /// where the machine has no such instruction or the pixels lie too far apart for it.
  std::uint32_t* bases = nullptr;
  std::uint8_t* picks = nullptr;         ///< 32 of 16 bits a group, pairs of places in the vector
  std::int16_t* wide_weights = nullptr;  ///< 32 a group
};

inline constexpr std::uint32_t group_values = 16;

/// Lines kept in a ring of as many places, `stride` values apart, from line `first` on.
struct Lines {
  const std::int16_t* ring = nullptr;
  std::size_t stride = 0;
  std::uint32_t count = 0, first = 0;
  const std::int16_t* operator[](std::uint32_t i) const noexcept {
    return ring + (first + i) % count * stride;
  }
};

// Each for every vector set that the machine may have (Highway), chosen when first called. Sums are by
// channel or value; those that are shifted by 7 and 21 bits are rounded.

/// Whether this machine has the kernel that works by groups.
bool has_group_kernel() noexcept;

/// Sums of weighted pixels >> 4, of two taps a column.
void resample_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) noexcept;
/// out = ((a * weight_a >> 16) + (b * weight_b >> 16) + 2) >> 2.
void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept;

/// Sums of weighted pixels >> 7.
void filter_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) noexcept;
/// Sums of lines, weighted by one weight each, >> 21. Reads 8 values at once.
void filter_rows(const Lines& lines, const std::int16_t* weights, std::uint8_t* out,
                 std::size_t values) noexcept;

}  // namespace weir::codec
