#pragma once

#include <cstdint>

#include "source/permutation.hpp"
#include "weir/order.hpp"

namespace weir::source {

/// An Order of `samples` samples: in each epoch a pure function of (seed, epoch) from positions to
/// source indices. Copyable and thread-safe. It stores no permutation: keyed Feistel networks with
/// cycle walking shuffle samples and blocks. So an order of 2^40 samples needs no memory, and a new
/// epoch needs no time.
class Sampler {
 public:
  Sampler(std::uint64_t samples, const Order& order, std::uint64_t seed) noexcept;
  /// The source index at `position` of `epoch`. `position` must be below positions().
  std::uint64_t index(std::uint64_t epoch, std::uint64_t position) const noexcept;
  /// OnFault::skip: the sample that replaces `position` after `attempt` failures (1 …) there. The
  /// first samples()-1 attempts are all different, and none is index(epoch, position).
  std::uint64_t replacement(std::uint64_t epoch, std::uint64_t position,
                            std::uint32_t attempt) const noexcept {
    return replacement_of(index(epoch, position), epoch, position, attempt);
  }
  /// The same if another order put `failed` at `position`.
  std::uint64_t replacement_of(std::uint64_t failed, std::uint64_t epoch, std::uint64_t position,
                               std::uint32_t attempt) const noexcept;
  /// Key of the random stream of the sample at `position`, for crops and flips.
  std::uint64_t draw(std::uint64_t epoch, std::uint64_t position) const noexcept;
  /// Positions of an epoch.
  std::uint64_t positions() const noexcept { return positions_; }
  /// Samples of the source.
  std::uint64_t samples() const noexcept { return all_.size(); }
  bool shuffles() const noexcept { return order_.kind != Order::Kind::sequential; }
  std::uint64_t seed() const noexcept { return seed_; }

 private:
  std::uint64_t in_blocks(std::uint64_t epoch, std::uint64_t position) const noexcept;

  Order order_;
  std::uint64_t positions_;
  Permutation all_;
  Permutation others_;  ///< distances from a failed index to its replacements
  // -- blocks
  Permutation whole_blocks_;
  Permutation group_, last_group_;  ///< the samples of blocks that are mixed
  std::uint64_t seed_;
};

}  // namespace weir::source
