#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "source/alias_table.hpp"

namespace weir::source {

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
