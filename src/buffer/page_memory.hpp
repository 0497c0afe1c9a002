#pragma once

#include <cstddef>

#include "weir/memory.hpp"

namespace weir::buffer {

std::size_t page_size() noexcept;
/// As many pages as `bytes` and one byte at the least need, in bytes.
std::size_t whole_pages(std::size_t bytes) noexcept;

/// What slabs, encoded bytes and scratch come from where the user gives nothing else. malloc would
/// keep freed blocks of their size in the arena of whichever thread asked; pages go back, so that
/// RSS follows the books.
PageMemory& page_memory() noexcept;

}  // namespace weir::buffer
