#pragma once

#include <cstdint>

namespace weir::test {

inline constexpr std::uint64_t mib = 1ull << 20;

}  // namespace weir::test
