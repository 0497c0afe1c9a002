#pragma once

#include <cstdint>

// WEIR_ADDRESS_SANITIZER, WEIR_THREAD_SANITIZER: defined if the code is compiled with them, by GCC or Clang.
#if defined(__SANITIZE_ADDRESS__)
#define WEIR_ADDRESS_SANITIZER
#elif defined(__SANITIZE_THREAD__)
#define WEIR_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_ADDRESS_SANITIZER
#elif __has_feature(thread_sanitizer)
#define WEIR_THREAD_SANITIZER
#endif
#endif

namespace weir::test {

// WEIR_TEST_SANITIZED: the test is plain, but the program that it starts has a sanitizer.
#if defined(WEIR_ADDRESS_SANITIZER) || defined(WEIR_THREAD_SANITIZER) || \
    defined(WEIR_TEST_SANITIZED)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

/// The number of repetitions; a tenth of it under a sanitizer. A sanitizer checks how the code runs,
/// and later repetitions run like the first. For loops whose further seeds and sizes only test results.
constexpr std::uint64_t thinned(std::uint64_t repetitions) noexcept {
  return sanitized ? (repetitions + 9) / 10 : repetitions;
}

}  // namespace weir::test
