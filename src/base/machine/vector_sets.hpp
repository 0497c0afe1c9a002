#pragma once

#include <cstdint>

// Highway's own assertions, which debug builds and sanitizers switch on, need its library. Include
// this header before those of Highway.
#ifndef HWY_IS_DEBUG_BUILD
#define HWY_IS_DEBUG_BUILD 0
#endif

namespace weir {

/// The vector sets of this machine, as bits of Highway's targets, such as HWY_AVX2. Only headers of
/// Highway are used: its library executes rdtscp before main(), which valgrind may not know.
std::int64_t machine_vector_sets() noexcept;
/// For tests: machine_vector_sets() leaves out the sets that are not in `sets`.
void allow_vector_sets(std::int64_t sets) noexcept;

/// Calls `call` with the best of the sets `compiled` (HWY_TARGETS) that this machine has. Every
/// machine has the last one.
template <std::int64_t compiled, class Call>
decltype(auto) in_best_set(const Call& call, std::int64_t sets = machine_vector_sets()) {
  constexpr std::int64_t best = compiled & -compiled, rest = compiled & ~best;
  if constexpr (rest != 0) {
    if ((sets & best) == 0) return in_best_set<rest>(call, sets);
  }
  return call.template operator()<best>();
}

}  // namespace weir
