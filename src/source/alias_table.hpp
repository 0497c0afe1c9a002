#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::source {

/// Draws an index with a probability proportional to its weight, in constant time: the alias method
/// (Walker, ACM TOMS 1977; Vose, IEEE TSE 1991). Immutable, thread-safe.
///
/// Weights count as integers below 2^62 after they have been scaled by a power of two, so all sums
/// are exact, and each machine has the same table. The table is filled by a sweep over light and
/// heavy weights (Huebschle-Schneider, Sanders: Parallel Weighted Random Sampling, ESA 2019), which
/// needs no memory besides it.
class AliasTable {
 public:
  /// `weights` are finite and not negative, and one of them is above 0.
  explicit AliasTable(std::span<const double> weights);

  /// The index that 64 uniformly distributed bits draw.
  std::uint64_t operator()(std::uint64_t random) const noexcept {
    // The upper part chooses the column, the lower part is the coin.
    __extension__ using Wide = unsigned __int128;
    const auto product = static_cast<Wide>(random) * columns_.size();
    const auto column = static_cast<std::uint64_t>(product >> 64);
    const auto& [threshold, other] = columns_[static_cast<std::size_t>(column)];
    return static_cast<std::uint64_t>(product) < threshold ? column : other;
  }
  static constexpr std::uint64_t bytes_each = 16;

 private:
  struct Column {
    std::uint64_t threshold;  ///< probability of the column's own index, times 2^64
    std::uint64_t other;
  };
  static_assert(sizeof(Column) == bytes_each);
  std::vector<Column> columns_;
};

}  // namespace weir::source
