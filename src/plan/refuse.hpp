#pragma once

#include "base/text.hpp"

namespace weir {

/// Throws Error{bad_options}.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  refuse(Stage::wait, parts...);
}

}  // namespace weir
