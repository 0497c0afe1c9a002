#pragma once

#include <functional>

#include "weir/ranks.hpp"

namespace weir::plan {

/// The value of an environment variable, or null.
using Variables = std::function<const char*(const char* name)>;

/// weir::resolved() with these variables.
Ranks resolved(const Ranks& ranks, const Variables& variables);

}  // namespace weir::plan
