#pragma once

#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <new>

#include "weir/memory.hpp"

namespace weir::buffer {

/// The size in bytes of the whole pages that hold max(`bytes`, 1).
std::size_t whole_pages(std::size_t bytes) noexcept;

/// The default memory for slabs, encoded bytes and scratch. malloc would keep freed blocks of this
/// size in the arena of the allocating thread. Unmapped pages return to the kernel, so RSS follows
/// the books.
PageMemory& page_memory() noexcept;

/// Bytes from a user's `memory`. Throws std::bad_alloc if it returns null. A memory_resource must not
/// do so, and a compiler may assume that it does not: `volatile` makes it look.
inline void* allocate_from(std::pmr::memory_resource& memory, std::uint64_t bytes,
                           std::size_t alignment) {
  void* volatile const data = memory.allocate(static_cast<std::size_t>(bytes), alignment);
  void* const seen = data;
  if (seen == nullptr) throw std::bad_alloc();
  return seen;
}

}  // namespace weir::buffer
