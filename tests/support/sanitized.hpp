#pragma once

#include <cstdint>

namespace weir::test {

// WEIR_TEST_SANITIZED: the test is plain, but the program that it starts has a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(WEIR_TEST_SANITIZED)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// The number of repetitions; a tenth of it under a sanitizer. A sanitizer checks how the code runs,
/// and later repetitions run like the first. For loops whose further seeds and sizes only test results.
constexpr std::uint64_t thinned(std::uint64_t repetitions) noexcept {
  return sanitized ? (repetitions + 9) / 10 : repetitions;
}

}  // namespace weir::test
