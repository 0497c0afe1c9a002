#pragma once

#include <cstddef>
#include <cstdint>

namespace weir::codec {

/// Bytes behind a line that a kernel may read (and not use), and values behind a row it may write.
inline constexpr std::size_t overrun = 64;

/// Columns of a bilinear resampling of RGB: column i is pixel offsets[i] / 3 and its right neighbour,
/// weighted by weights[2i] and weights[2i + 1], of 2048 together.
struct Columns {
  std::uint32_t count = 0;
  std::uint32_t* offsets = nullptr;
  std::int16_t* weights = nullptr;
  /// The same by groups of 16 values, each from one vector of 64 bytes that begins at bases[g]; null
  /// where the machine has no such instruction or the pixels lie too far apart for it.
  std::uint32_t* bases = nullptr;
  std::uint8_t* picks = nullptr;         ///< 32 of 16 bits a group, pairs of places in the vector
  std::int16_t* wide_weights = nullptr;  ///< 32 a group
};

inline constexpr std::uint32_t group_values = 16;

/// Whether this machine has kernels that work by groups.
bool has_group_kernels() noexcept;

/// out[3i + c] = (left * weight + right * weight) >> 4, for each column i and channel c.
void resample_line(const Columns& columns, const std::uint8_t* line, std::int16_t* out) noexcept;

/// out = ((a * weight_a >> 16) + (b * weight_b >> 16) + 2) >> 2, value by value.
void blend_rows(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept;

// Each way there is, for tests: what the two above choose from.
void resample_line_plain(const Columns& columns, const std::uint8_t* line,
                         std::int16_t* out) noexcept;
void blend_rows_plain(const std::int16_t* a, const std::int16_t* b, std::int16_t weight_a,
                      std::int16_t weight_b, std::uint8_t* out, std::size_t values) noexcept;

}  // namespace weir::codec
