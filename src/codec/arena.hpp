#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checked.hpp"

namespace weir::codec {

/// Hands out the pieces of one block, front to back; they are all given back at once, by clear() or by
/// forgetting the arena. What a third-party decoder allocates comes from here, so it was charged before.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;

  Arena() = default;
  explicit Arena(std::span<std::byte> memory) noexcept : memory_(memory) {}

  /// Null where the block is used up.
  void* take(std::size_t bytes) noexcept {
    const auto rounded = round_up(bytes, alignment);
    if (rounded > memory_.size() - used_) return nullptr;
    void* const piece = memory_.data() + used_;
    used_ += static_cast<std::size_t>(rounded);
    return piece;
  }
  std::size_t used() const noexcept { return used_; }
  void clear() noexcept { used_ = 0; }

 private:
  std::span<std::byte> memory_;
  std::size_t used_ = 0;
};

/// Where pieces will lie in a block, aligned as an Arena's, before there is one.
struct Packing {
  std::uint64_t bytes = 0;  ///< of the block so far
  std::uint64_t add(std::uint64_t piece) noexcept {
    const auto start = bytes;
    bytes += round_up(piece, Arena::alignment);
    return start;
  }
};

}  // namespace weir::codec
