#pragma once

#include <compare>
#include <cstdint>

namespace weir::source {

/// A position in an epoch. Sampler::index() gives the sample that is drawn there. It does not
/// convert from or to the index of a sample, because an order may leave samples out, or draw one at
/// several positions.
class Position {
 public:
  constexpr Position() noexcept = default;
  constexpr explicit Position(std::uint64_t value) noexcept : value_(value) {}
  constexpr std::uint64_t value() const noexcept { return value_; }
  constexpr Position& operator++() noexcept {
    ++value_;
    return *this;
  }
  friend constexpr auto operator<=>(Position, Position) noexcept = default;

 private:
  std::uint64_t value_ = 0;
};

}  // namespace weir::source
