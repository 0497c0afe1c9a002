#pragma once

#include <string>

#include "support/catch.hpp"

namespace weir::test {

/// Prints what a test lacks. The test then returns, and ctest reports it as skipped
/// (tests/CMakeLists.txt).
inline void skip(const std::string& lacking) { WARN("weir: test skipped: " + lacking); }

}  // namespace weir::test
