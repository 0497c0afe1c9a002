#pragma once

#include <cstddef>

#include "weir/memory.hpp"

namespace weir::buffer {

std::size_t page_size() noexcept;
/// The size in bytes of the whole pages that hold max(`bytes`, 1).
std::size_t whole_pages(std::size_t bytes) noexcept;

/// The default memory for slabs, encoded bytes and scratch. malloc would keep freed blocks of this
/// size in the arena of the allocating thread. Unmapped pages return to the kernel, so RSS follows
/// the books.
PageMemory& page_memory() noexcept;

}  // namespace weir::buffer
