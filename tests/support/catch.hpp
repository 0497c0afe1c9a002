#pragma once

/// Catch2, version 3 or 2: the only place that knows which.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#define WEIR_CATCH_SUBSTRING Catch::Matchers::ContainsSubstring
#else
#include <catch2/catch.hpp>
#define WEIR_CATCH_SUBSTRING Catch::Matchers::Contains
#endif

namespace weir::test {

/// Matcher: the text contains `part`.
inline auto has_text(const std::string& part) { return WEIR_CATCH_SUBSTRING(part); }

}  // namespace weir::test

#undef WEIR_CATCH_SUBSTRING
