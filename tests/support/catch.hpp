#pragma once

/// Catch2, version 3 or 2: the only place that knows which.
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

/// Matcher: the text contains `part`.
inline auto has_text(const std::string& part) { return WEIR_CATCH_SUBSTRING(part); }

/// About that number.
using Approx = WEIR_CATCH_APPROX;

}  // namespace weir::test

#undef WEIR_CATCH_SUBSTRING
#undef WEIR_CATCH_APPROX
