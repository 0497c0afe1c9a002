#pragma once

#include <cstddef>
#include <string>

namespace weir {

/// Bytes of a page of memory.
std::size_t page_size() noexcept;

/// `length` bytes, a whole number of pages, at a multiple of `alignment`, a power of two. Throws std::bad_alloc.
std::byte* map_pages(std::size_t length, std::size_t alignment);
/// Returns them to the machine.
void unmap_pages(std::byte* first, std::size_t length, std::size_t alignment) noexcept;

/// Why no memory of this machine gets huge pages. Empty: it may get some.
std::string no_huge_pages();
/// Asks for huge pages. Returns why there are none. Empty: the machine agreed.
std::string use_huge_pages(std::byte* first, std::size_t length);
/// Keeps pages in memory. Returns why they may be swapped out. Empty: they stay.
std::string lock_pages(std::byte* first, std::size_t length);

}  // namespace weir
