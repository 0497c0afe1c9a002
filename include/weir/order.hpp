#pragma once

#include <cstdint>
#include <string>

#include "weir/export.hpp"

namespace weir {

/// The order of the samples in an epoch: which sample has which position. It is a pure function of
/// the order, Options::seed, the epoch and the number of samples. Each sample comes once an epoch.
/// No order needs a table.
struct Order {
  /// The kinds of order.
  enum class Kind : std::uint8_t {
    sequential,  ///< the order of the source
    shuffle,     ///< a new order of all samples in each epoch
    blocks,      ///< a new order in each epoch that reads the source in runs
  };
  Kind kind = Kind::sequential;  ///< use the functions below to set it
  std::uint64_t block = 64;      ///< blocks: consecutive samples in a block; >= 1
  std::uint64_t together = 64;   ///< blocks: blocks whose samples are mixed; >= 1

  /// The order of the source.
  static constexpr Order sequential() noexcept { return {}; }
  /// A new order of all samples in each epoch; if not `on`, the order of the source.
  static constexpr Order shuffle(bool on = true) noexcept {
    return {.kind = on ? Kind::shuffle : Kind::sequential};
  }
  /// A new order in each epoch for data that is cheap to read in runs. The source is cut into blocks
  /// of `block` samples, the blocks are shuffled, and the samples of each `together` blocks are
  /// shuffled. A short last block stays in the last group.
  static constexpr Order blocks(std::uint64_t block = 64, std::uint64_t together = 64) noexcept {
    return {.kind = Kind::blocks, .block = block, .together = together};
  }
  /// Compares the kinds, and for blocks their parameters.
  friend constexpr bool operator==(const Order& a, const Order& b) noexcept {
    return a.kind == b.kind &&
           (a.kind != Kind::blocks || (a.block == b.block && a.together == b.together));
  }
};

/// "sequential", "shuffle" or "blocks:64:64".
WEIR_API std::string to_string(const Order& order);

}  // namespace weir
