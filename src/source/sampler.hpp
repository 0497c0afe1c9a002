#pragma once

#include <cstdint>

#include "source/permutation.hpp"

namespace weir::source {

/// The order of an epoch: a bijection of 0 … size-1 and a pure function of (seed, epoch). Copyable
/// and thread-safe. It stores no permutation: a keyed Feistel network with cycle walking shuffles
/// the samples. So an order of 2^40 samples needs no memory, and a new epoch needs no time.
class Sampler {
 public:
  Sampler(std::uint64_t size, bool shuffle, std::uint64_t seed) noexcept;
  /// The source index at `position` of `epoch`. `position` must be below size().
  std::uint64_t index(std::uint64_t epoch, std::uint64_t position) const noexcept;
  /// OnFault::skip: the sample that replaces `position` after `attempt` failures (1 …) there. The
  /// first size()-1 attempts are all different, and none is index(epoch, position).
  std::uint64_t replacement(std::uint64_t epoch, std::uint64_t position,
                            std::uint32_t attempt) const noexcept {
    return replacement_of(index(epoch, position), epoch, position, attempt);
  }
  /// The same if another order put `failed` at `position`.
  std::uint64_t replacement_of(std::uint64_t failed, std::uint64_t epoch, std::uint64_t position,
                               std::uint32_t attempt) const noexcept;
  /// Key of the random stream of the sample at `position`, for crops and flips.
  std::uint64_t draw(std::uint64_t epoch, std::uint64_t position) const noexcept;
  std::uint64_t size() const noexcept { return all_.size(); }
  bool shuffles() const noexcept { return shuffle_; }
  std::uint64_t seed() const noexcept { return seed_; }

 private:
  Permutation all_;
  Permutation others_;  ///< distances from a failed index to its replacements
  std::uint64_t seed_;
  bool shuffle_;
};

}  // namespace weir::source
