#include "support/allocations.hpp"

#include "support/libc_heap.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>

namespace {
std::atomic<std::uint64_t> calls{0}, asked{0};

void count(std::size_t bytes) noexcept {
  ++calls;
  asked += bytes;
}

std::atomic<std::int64_t> held{0};

void* given(void* memory) noexcept {
  held += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}
void taken_back(void* memory) noexcept {
  held -= static_cast<std::int64_t>(malloc_usable_size(memory));
}
}  // namespace

std::uint64_t weir::test::allocations() noexcept { return calls.load(); }
std::uint64_t weir::test::allocated_bytes() noexcept { return asked.load(); }
std::int64_t weir::test::held_bytes() noexcept { return held.load(); }

extern "C" {
void* malloc(std::size_t bytes) noexcept {
  count(bytes);
  return given(__libc_malloc(bytes));
}
void* calloc(std::size_t number, std::size_t bytes) noexcept {
  count(number * bytes);
  return given(__libc_calloc(number, bytes));
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  count(bytes);
  taken_back(memory);
  void* const moved = __libc_realloc(memory, bytes);
  // If realloc fails, the old block still exists.
  given(moved == nullptr && bytes > 0 ? memory : moved);
  return moved;
}
void free(void* memory) noexcept {
  taken_back(memory);
  __libc_free(memory);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  count(bytes);
  return given(__libc_memalign(alignment, bytes));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  count(bytes);
  *memory = given(__libc_memalign(alignment, bytes));
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* where, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  count(bytes);
  const long address = syscall(SYS_mmap, where, bytes, protection, flags, file, offset);
  if (address != -1) held += static_cast<std::int64_t>(bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address comes as a long
  return reinterpret_cast<void*>(address);
}
int munmap(void* where, std::size_t bytes) noexcept {
  const auto gone = syscall(SYS_munmap, where, bytes);
  if (gone == 0) held -= static_cast<std::int64_t>(bytes);
  return static_cast<int>(gone);
}
}
