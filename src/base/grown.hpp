#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace weir {

/// A table that grows as it is used, up to a limit. It grows by pieces that double its capacity,
/// beginning with 16 elements. Elements keep their addresses. So one thread can add a piece while
/// others use the elements that they were told of. Making a piece and adding it are two steps,
/// because memory must not be allocated under some mutexes.
template <class T>
class Grown {
 public:
  using Piece = std::vector<T>;

  /// At most `most` elements. Allocates nothing.
  explicit Grown(std::uint32_t most) noexcept : most_(most) {}

  /// The capacity of a table of at most `most` elements once it has `used` of them.
  static constexpr std::uint32_t capacity_for(std::uint32_t used, std::uint32_t most) noexcept {
    if (used == 0) return 0;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(most, std::bit_ceil(std::max<std::uint64_t>(first, used))));
  }
  /// The next capacity.
  std::uint32_t next_capacity() const noexcept { return capacity_for(capacity_ + 1, most_); }
  /// The next piece, empty if the limit is reached. Throws std::bad_alloc.
  Piece next_piece() const { return Piece(next_capacity() - capacity_); }
  /// Adds the next piece.
  void add(Piece piece) noexcept {
    if (piece.empty()) return;
    const auto at = place_of(capacity_).first;
    capacity_ += static_cast<std::uint32_t>(piece.size());
    pieces_[at] = std::move(piece);
  }

  std::uint32_t capacity() const noexcept { return capacity_; }
  T& operator[](std::uint32_t i) noexcept {
    const auto [piece, offset] = place_of(i);
    return pieces_[piece][offset];
  }
  const T& operator[](std::uint32_t i) const noexcept {
    const auto [piece, offset] = place_of(i);
    return pieces_[piece][offset];
  }

 private:
  static constexpr std::uint32_t first = 16;
  static constexpr std::size_t most_pieces = 29;  ///< 16 * 2^28 elements

  static constexpr std::pair<std::size_t, std::uint32_t> place_of(std::uint32_t i) noexcept {
    const auto piece = static_cast<std::size_t>(std::bit_width(i / first));
    return {piece, piece == 0 ? i : i - (first << (piece - 1))};
  }

  std::array<Piece, most_pieces> pieces_;
  std::uint32_t most_, capacity_ = 0;
};

}  // namespace weir
