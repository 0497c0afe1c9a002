#pragma once

#include <optional>

#include "base/text.hpp"

namespace weir {

/// Throws Error{bad_options}.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  refuse(Stage::wait, parts...);
}

template <class... Bound>
[[noreturn]] void refuse_value(const auto& option, const auto& value, const Bound&... bound) {
  refuse(option, " = ", value, ": ", bound...);
}

template <class T>
void within(const auto& option, T value, T low, T high) {
  if (value < low || value > high) {
    refuse_value(option, value, "must be ", low, " to ", high);
  }
}

template <class T>
void within(const auto& option, const std::optional<T>& value, T low, T high) {
  if (value) within(option, *value, low, high);
}

/// `last` is the last enumerator.
template <class Enum>
void known(const auto& option, Enum value, Enum last) {
  if (value > last)
    refuse_value(option, static_cast<unsigned>(value), "is no enumerator of its type; the last is ",
                 static_cast<unsigned>(last));
}

}  // namespace weir
