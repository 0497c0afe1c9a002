#pragma once

#include <cstdint>

namespace weir::test {

/// Makes so many calls at random, most of them wrong, and knows of each what it must return. Fails the test case otherwise.
void misuse(std::uint64_t calls, std::uint64_t seed);

}  // namespace weir::test
