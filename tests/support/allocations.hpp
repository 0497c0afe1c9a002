#pragma once

#include <cstdint>

namespace weir::test {

/// Calls that this program has made for memory, by any thread: malloc and its family (operator new
/// and the libraries come there, too) and mmap. Only where WEIR_OWN_HEAP: link allocations.cpp.
std::uint64_t allocations() noexcept;
/// Bytes that this program has been given by them and has not given back.
std::int64_t allocated_bytes() noexcept;

}  // namespace weir::test
