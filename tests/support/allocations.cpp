#include "support/allocations.hpp"

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
}  // namespace

std::uint64_t weir::test::allocations() noexcept { return calls.load(); }
std::uint64_t weir::test::allocated_bytes() noexcept { return asked.load(); }

// glibc's own under the names it keeps for this.
extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;

void* malloc(std::size_t bytes) noexcept {
  count(bytes);
  return __libc_malloc(bytes);
}
void* calloc(std::size_t number, std::size_t bytes) noexcept {
  count(number * bytes);
  return __libc_calloc(number, bytes);
}
void* realloc(void* memory, std::size_t bytes) noexcept {
  count(bytes);
  return __libc_realloc(memory, bytes);
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  count(bytes);
  return __libc_memalign(alignment, bytes);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) noexcept {
  count(bytes);
  *memory = __libc_memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void* mmap(void* where, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  count(bytes);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the address comes as a long
  return reinterpret_cast<void*>(syscall(SYS_mmap, where, bytes, protection, flags, file, offset));
}
}
