#pragma once

#include <chrono>
#include <cstdint>

namespace weir {

using Clock = std::chrono::steady_clock;

inline double seconds(Clock::duration d) noexcept {
  return std::chrono::duration<double>(d).count();
}

}  // namespace weir
