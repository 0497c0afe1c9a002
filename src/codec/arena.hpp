#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checked.hpp"

namespace weir::codec {

/// Allocates pieces of one block from front to back. clear() frees all of them at once, and so does
/// abandoning the arena. The memory of third-party decoders comes from here, so it is already
/// charged.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  Arena() = default;
  explicit Arena(std::span<std::byte> memory) noexcept : memory_(memory) {}

  /// Null if the block is used up.
  void* take(std::size_t bytes) noexcept {
    const auto rounded = round_up(bytes, alignment);
    if (rounded > memory_.size() - used_) return nullptr;
    void* const piece = memory_.data() + used_;
    used_ += static_cast<std::size_t>(rounded);
    return piece;
  }
  /// All pieces together.
  std::span<std::byte> taken() const noexcept { return memory_.first(used_); }
  void clear() noexcept { used_ = 0; }

 private:
  std::span<std::byte> memory_;
  std::size_t used_ = 0;
};

/// Computes the offsets of pieces in a future block, with the alignment of an Arena. Saturates.
struct Packing {
  std::uint64_t bytes = 0;  ///< size of the block so far
  std::uint64_t add(std::uint64_t piece) noexcept {
    const auto start = bytes;
    bytes = add_sat(bytes, round_up(piece, Arena::alignment));
    return start;
  }
};

}  // namespace weir::codec
