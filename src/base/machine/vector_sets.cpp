#include "base/machine/vector_sets.hpp"

#include <hwy/detect_targets.h>

#include <atomic>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif

namespace weir {
namespace {

std::atomic<std::int64_t> allowed{-1};

std::int64_t sets_of_machine() noexcept {
#if HWY_ARCH_X86
  // What the compiler may use in each set: hwy/ops/set_macros-inl.h. Clang 14 has no name for F16C.
  __builtin_cpu_init();
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
  const bool ssse3 = __builtin_cpu_supports("ssse3");
  const bool sse4 = ssse3 && __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2") &&
                    __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && f16c && __builtin_cpu_supports("avx2") &&
                    __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx3 = avx2 && __builtin_cpu_supports("avx512f") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  return (ssse3 ? HWY_SSSE3 : 0) | (sse4 ? HWY_SSE4 : 0) | (avx2 ? HWY_AVX2 : 0) |
         (avx3 ? HWY_AVX3 : 0);
#else
  return 0;  // the set that the compiler uses without being told
#endif
}

}  // namespace

std::int64_t machine_vector_sets() noexcept {
  static const auto machine = sets_of_machine();
  return machine & allowed.load(std::memory_order_relaxed);
}

void allow_vector_sets(std::int64_t sets) noexcept { allowed = sets; }

}  // namespace weir
