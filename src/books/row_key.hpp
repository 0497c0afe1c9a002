#pragma once

#include <compare>
#include <cstdint>

namespace weir::books {

/// Identifies a row of a stream. A smaller key is an older row.
struct RowKey {
  std::uint64_t sequence = 0;
  std::uint32_t row = 0;
  friend constexpr auto operator<=>(const RowKey&, const RowKey&) = default;
};
inline constexpr RowKey no_row{UINT64_MAX, UINT32_MAX};

using SlabId = std::uint32_t;
inline constexpr SlabId no_slab = UINT32_MAX;

}  // namespace weir::books
