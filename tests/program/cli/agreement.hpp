#pragma once

#include <string>

#include "support/json.hpp"

namespace weir::test {

/// Checks that headline, table, marks, advice and Next of a sweep do not contradict each other.
void check_sweep(const Json& json, const std::string& text);

/// Likewise verdict, advice, grid and Next of a tune.
void check_tune(const Json& json, const std::string& text);

}  // namespace weir::test
