#pragma once

#include "weir/weir.hpp"

namespace weir::test {

/// The interval without the time that threads waited for a CPU. Other processes cause it, and on a
/// busy machine it makes the regime cpu.
inline Interval undisturbed(Interval seen) {
  for (auto* const time : {&seen.cpu.wait_s, &seen.cpu.throttle_s})
    if (*time) *time = 0;
  return seen;
}

}  // namespace weir::test
