#pragma once

#include "base/text.hpp"

namespace weir {

/// Throws Error{bad_options}.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  refuse(Stage::wait, parts...);
}

template <class... Bound>
[[noreturn]] void refuse_value(const auto& option, const auto& value, const Bound&... bound) {
  throw Error(Errc::bad_options, Stage::wait,
              OptionProblem{concat(option), concat(value), concat(bound...)});
}

template <class T>
void within(const auto& option, T value, T low, T high) {
  if (value < low || value > high) {
    refuse_value(option, value, "must be ", low, " to ", high);
  }
}

}  // namespace weir
