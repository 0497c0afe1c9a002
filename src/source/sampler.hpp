#pragma once

#include <cstdint>

#include "source/order.hpp"
#include "source/permutation.hpp"
#include "source/position.hpp"
#include "source/weights.hpp"

namespace weir::source {

/// An Order of `samples` samples: in each epoch a pure function of (seed, epoch) from positions to
/// source indices. Copyable and thread-safe. It stores no permutation: keyed Feistel networks with
/// cycle walking shuffle samples and blocks. So an order of 2^40 samples needs no memory, and a new
/// epoch needs no time. Only Order::weighted has a table.
class Sampler {
 public:
  /// The first sampler of an Order::weighted makes its table; Weights::bytes() must be charged.
  Sampler(std::uint64_t samples, const Order& order, std::uint64_t seed);
  /// The source index at `position` of `epoch`. `position` must be before end(). Only
  /// Order::own throws: what its function throws, or Error{bad_options} if the source has no sample
  /// with this index.
  std::uint64_t index(std::uint64_t epoch, Position position) const;
  /// OnFault::skip: the sample that replaces `failed` after `attempt` failures (1 …) at `position`,
  /// where this order or another one put it. It is a sample that the order draws.
  ///
  /// If each sample comes at most once an epoch, or all come with the same probability: the first
  /// attempts, as many as there are other samples, are all different, and none is `failed`.
  /// Order::weighted draws again. Order::own gives the samples of other positions of the epoch, and
  /// throws as index() does.
  std::uint64_t replacement_of(std::uint64_t failed, std::uint64_t epoch, Position position,
                               std::uint32_t attempt) const;
  /// Key of the random stream of the sample at `position`, for crops and flips. `partner`: 0 is the row's
  /// own sample. `attempt`: each replacement draws anew.
  std::uint64_t draw(std::uint64_t epoch, Position position, std::uint32_t partner = 0,
                     std::uint32_t attempt = 0) const noexcept;
  /// Key of the draws of a partner of the row at `position`.
  std::uint64_t partner_key(std::uint64_t epoch, Position position,
                            std::uint32_t partner) const noexcept;
  /// Number of choice(). No end: Order::weighted.
  std::uint64_t choices() const noexcept;
  /// Sample `i` < choices() of those that the order can draw, in a random order by `key`. Order::weighted
  /// draws by its weights, and Order::own may give a sample several times. Throws as index().
  std::uint64_t choice(std::uint64_t epoch, std::uint64_t key, std::uint64_t i) const;
  /// Whether the order can draw the sample. Of Order::own that is unknown: true.
  bool draws(std::uint64_t index) const noexcept;
  /// Positions of an epoch.
  std::uint64_t positions() const noexcept { return positions_; }
  /// One past the last position of an epoch.
  Position end() const noexcept { return Position(positions_); }
  /// Samples of the source.
  std::uint64_t samples() const noexcept { return all_.size(); }
  bool shuffles() const noexcept { return !is_fixed(order_.kind); }
  std::uint64_t seed() const noexcept { return seed_; }

 private:
  std::uint64_t in_blocks(std::uint64_t epoch, Position position) const noexcept;
  std::uint64_t by_function(std::uint64_t epoch, Position position) const;
  std::uint64_t another_draw(std::uint64_t failed, std::uint64_t key) const noexcept;

  Order order_;
  std::uint64_t positions_;
  Permutation all_;
  Permutation others_;  ///< distances from what failed to its replacements
  // -- blocks
  Permutation whole_blocks_;
  Permutation group_, last_group_;  ///< the samples of blocks that are mixed
  const AliasTable* table_;         ///< of order_.weights
  std::uint64_t seed_;
};

}  // namespace weir::source
