#pragma once

#include <cstdint>
#include <string_view>

#include "weir/rows.hpp"

namespace weir::source {

/// SizeOptions::size and its bounds. Copyable. Const members from any thread.
class SizeRule {
 public:
  /// Sizes do not change.
  SizeRule() noexcept = default;
  /// `bound`: the options that give `ceiling`. Sides are at least `least`, and multiples of `grid`.
  SizeRule(SizeFunction function, ImageSize ceiling, std::string_view bound,
           std::uint32_t least = 1, std::uint32_t grid = 1) noexcept;
  explicit operator bool() const noexcept { return function_.of != nullptr; }
  ImageSize ceiling() const noexcept { return ceiling_; }
  /// Throws Error{bad_options} if the function throws, or if the size is 0 or beyond a bound.
  ImageSize of(const SizeInput& input) const;
  /// Throws Error{bad_options} if of() now gives another size than `before`.
  void check_again(const SizeInput& input, ImageSize before) const;

 private:
  SizeFunction function_{};
  ImageSize ceiling_{};
  std::string_view bound_{};
  std::uint32_t least_ = 1, grid_ = 1;
};

}  // namespace weir::source
