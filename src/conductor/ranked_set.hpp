#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conductor/intervals.hpp"

namespace weir::conductor {

/// A set whose elements can be addressed by their rank. Immutable.
class RankedSet {
 public:
  explicit RankedSet(std::span<const Progress::Run> set);
  std::uint64_t size() const noexcept { return size_; }
  /// The element with this rank, below size().
  std::uint64_t at(std::uint64_t rank) const noexcept;
  /// Adds the elements with these ranks to `to`. The intervals of ranks must not touch.
  void append(const Progress::Run& ranks, RunMaker& to) const;
  std::uint64_t bytes() const noexcept { return pieces_.capacity() * sizeof(Piece); }

 private:
  struct Piece {
    std::uint64_t rank;  ///< of its first element
    Progress::Run run;
  };
  const Piece& piece_of(std::uint64_t rank) const noexcept;
  std::vector<Piece> pieces_;
  std::uint64_t size_ = 0;
};

}  // namespace weir::conductor
