#pragma once

#include <cstdint>

namespace weir::test {

/// Calls that this program has made for memory, by any thread: malloc and its family (operator new
/// and the libraries come there, too) and mmap. Only where WEIR_OWN_HEAP: link allocations.cpp.
std::uint64_t allocations() noexcept;
/// The bytes that they asked for; what was given back is not taken off.
std::uint64_t allocated_bytes() noexcept;
/// Bytes that they were given, as malloc_usable_size() and munmap() know them, and have not given back.
std::int64_t held_bytes() noexcept;

}  // namespace weir::test
