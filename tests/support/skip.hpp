#pragma once

#include <string>

#include "support/catch.hpp"

namespace weir::test {

/// Says what a test lacks, which then returns: ctest reports it as skipped (tests/CMakeLists.txt).
inline void skip(const std::string& lacking) { WARN("weir: test skipped: " + lacking); }

}  // namespace weir::test
