#pragma once

#include <cstdint>
#include <optional>

namespace weir {

/// A bound in bytes that the data may decide.
class ByteBound {
 public:
  /// As many as the data need.
  static const ByteBound measured;
  /// As many as this.
  constexpr ByteBound(std::uint64_t bytes) noexcept : bytes_(bytes) {}

  /// The number. Empty: `measured`.
  constexpr std::optional<std::uint64_t> bytes() const noexcept { return bytes_; }
  /// Whether both are the same number, or both `measured`.
  friend constexpr bool operator==(const ByteBound&, const ByteBound&) = default;

 private:
  constexpr ByteBound() noexcept = default;
  std::optional<std::uint64_t> bytes_{};
};

inline constexpr ByteBound ByteBound::measured{};

}  // namespace weir
