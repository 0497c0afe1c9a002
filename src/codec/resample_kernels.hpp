#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace weir::codec {

/// Number of bytes after a line that a kernel may read (but not use), and of values after a row
/// that it may write.
inline constexpr std::size_t overrun = 64;

/// The columns of a resampling. Column i is the weighted sum of `taps` pixels from the value
/// offsets[i] of a line on, with the weights from weight taps * i on.
struct Columns {
  std::uint32_t count = 0, taps = 2;
  std::uint32_t* offsets = nullptr;
  std::byte* weights = nullptr;  ///< of the kernel's type
  /// For two taps of 8-bit values: groups of 16 values, each from the 64 bytes that begin
  /// at bases[g]. Null if the machine has no such instruction or the pixels of a group are too far
  /// apart.
  std::uint32_t* bases = nullptr;
  std::uint8_t* picks = nullptr;  ///< 32 of 16 bits per group: pairs of indices in these bytes
  std::int16_t* wide_weights = nullptr;  ///< 32 per group

  template <class Weight>
  Weight* weights_of(std::size_t column) const noexcept {
    return reinterpret_cast<Weight*>(weights) + column * taps;
  }
};

inline constexpr std::uint32_t group_values = 16;

/// A ring of `count` lines with a distance of `stride` bytes. The oldest line is `first`; `last` is
/// the last one that counts.
struct Lines {
  std::byte* ring = nullptr;
  std::size_t stride = 0;
  std::uint32_t count = 0, first = 0, last = 0;
  double step = 0;  ///< source lines for a row of the output; computed with row 0

  std::byte* at(std::uint32_t line) const noexcept { return ring + line % count * stride; }
  /// Line `first` + i.
  template <class Sum>
  const Sum* line(std::uint32_t i) const noexcept {
    return reinterpret_cast<const Sum*>(at(first + i));
  }
};

/// Kernels of 8-bit values. The sums are per channel or per value. Sums that are shifted by 7 or 21
/// bits are rounded.
struct VectorKernels {
  /// By the number of channels, which is 1, 3 or 4.
  using OfChannels =
      std::array<void (*)(const Columns& columns, const std::uint8_t* line, std::int16_t* out), 5>;

  /// Sums of weighted pixels >> 4, with two taps per column.
  OfChannels resample_line;
  /// out = ((a * weight_a >> 16) + (b * weight_b >> 16) + 2) >> 2.
  void (*blend_rows)(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                     std::int16_t weight_b, std::uint8_t* out, std::size_t values);
  /// Sums of weighted pixels >> 7; an even number of taps.
  OfChannels filter_line;
  /// Weighted sums of lines >> 21, with one weight per line. Reads 8 values at once.
  void (*filter_rows)(const Lines& lines, const std::int16_t* weights, std::uint8_t* out,
                      std::size_t values);
};
/// Those of the machine's best vector set.
const VectorKernels& vector_kernels() noexcept;

/// Whether this machine has resample_groups().
bool has_group_kernel() noexcept;
/// As VectorKernels::resample_line, for columns with groups.
void resample_groups(const Columns& columns, std::size_t channels, const std::uint8_t* line,
                     std::int16_t* out);

}  // namespace weir::codec
