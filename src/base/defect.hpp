#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "weir/error.hpp"

namespace weir {

/// Why one sample cannot be delivered. The engine adds index, epoch and name to make a Fault.
struct Defect {
  FaultKind kind = FaultKind::corrupt;
  Stage stage = Stage::decode;
  std::string reason;
  std::optional<std::uint64_t> offset{};
  std::optional<std::size_t> plane{};  ///< its number in Source::planes(), if it is not the image
};

/// Either a value or the Defect that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a function returns either
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Defect defect) : state_(std::in_place_index<1>, std::move(defect)) {}
  // NOLINTEND(google-explicit-constructor)
  explicit operator bool() const noexcept { return state_.index() == 0; }
  const T& operator*() const& { return std::get<0>(state_); }
  T& operator*() & { return std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const Defect& defect() const { return std::get<1>(state_); }
  Defect& defect() { return std::get<1>(state_); }

 private:
  std::variant<T, Defect> state_;
};

}  // namespace weir
