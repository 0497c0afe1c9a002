#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
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

/// The weights of Order::weighted. Immutable, thread-safe.
class Weights {
 public:
  /// Throws Error{bad_options} that names the first bad weight.
  explicit Weights(std::vector<double> weights);

  std::span<const double> values() const noexcept { return values_; }
  /// 32 hexadecimal digits that identify the weights.
  const std::string& hash() const noexcept { return hash_; }
  /// Bytes of the weights and of their table.
  std::uint64_t bytes() const noexcept {
    return values_.size() * (sizeof(double) + AliasTable::bytes_each);
  }
  /// The first call makes the table, whose bytes must be charged. Throws std::bad_alloc.
  const AliasTable& table() const;

 private:
  std::vector<double> values_;
  std::string hash_;
  mutable std::once_flag made_;
  mutable std::unique_ptr<const AliasTable> table_;
};

}  // namespace weir::source
