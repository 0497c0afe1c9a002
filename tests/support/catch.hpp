#pragma once

/// Catch2, version 3 or 2. Only this file depends on the version.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define WEIR_CATCH_SUBSTRING Catch::Matchers::ContainsSubstring
#define WEIR_CATCH_APPROX Catch::Approx
#else
#include <catch2/catch.hpp>
#define WEIR_CATCH_SUBSTRING Catch::Matchers::Contains
#define WEIR_CATCH_APPROX Catch::Detail::Approx
#endif

namespace weir::test {

/// A matcher for texts that contain `part`.
inline auto has_text(const std::string& part) { return WEIR_CATCH_SUBSTRING(part); }

/// A number with a tolerance.
using Approx = WEIR_CATCH_APPROX;

}  // namespace weir::test

#undef WEIR_CATCH_SUBSTRING
#undef WEIR_CATCH_APPROX
