#pragma once

#include <cstdint>

namespace weir::test {

/// The number of memory allocations of this program, by any thread: malloc and its family (operator
/// new and libraries use them) and mmap. Only with WEIR_OWN_HEAP: link allocations.cpp.
std::uint64_t allocations() noexcept;
/// The number of bytes that they requested, including those that were freed.
std::uint64_t allocated_bytes() noexcept;
/// The bytes that are allocated now, according to malloc_usable_size() and munmap().
std::int64_t held_bytes() noexcept;

}  // namespace weir::test
