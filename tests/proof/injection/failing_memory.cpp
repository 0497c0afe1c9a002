#include "proof/injection/failing.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>

#include "support/libc_heap.hpp"

using weir::test::Call;
using weir::test::detail::fails;

namespace {
constinit std::atomic<std::int64_t> held{0};

void* got(void* piece) noexcept {
  if (piece != nullptr) ++held;
  return piece;
}
}  // namespace

std::int64_t weir::test::pieces_held() noexcept { return held; }

#if WEIR_TEST_OWN_HEAP

extern "C" {
void* mmap(void* where, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  static auto* const real = reinterpret_cast<decltype(&mmap)>(::dlsym(RTLD_NEXT, "mmap"));
  const bool memory = (flags & MAP_ANONYMOUS) != 0;
  if (memory && (fails(Call::map) || fails(Call::allocate))) return MAP_FAILED;
  void* const piece = real(where, bytes, protection, flags, file, offset);
  if (memory && piece != MAP_FAILED) ++held;
  return piece;
}
int munmap(void* piece, std::size_t bytes) noexcept {
  static auto* const real = reinterpret_cast<decltype(&munmap)>(::dlsym(RTLD_NEXT, "munmap"));
  --held;
  return real(piece, bytes);
}
}

extern "C" {
void* malloc(std::size_t bytes) noexcept {
  return fails(Call::allocate) ? nullptr : got(__libc_malloc(bytes));
}
void* calloc(std::size_t number, std::size_t bytes) noexcept {
  return fails(Call::allocate) ? nullptr : got(__libc_calloc(number, bytes));
}
void* realloc(void* piece, std::size_t bytes) noexcept {
  if (fails(Call::allocate)) return nullptr;
  void* const other = __libc_realloc(piece, bytes);
  return piece == nullptr ? got(other) : other;
}
void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  return fails(Call::allocate) ? nullptr : got(__libc_memalign(alignment, bytes));
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}
int posix_memalign(void** piece, std::size_t alignment, std::size_t bytes) noexcept {
  *piece = memalign(alignment, bytes);
  return *piece == nullptr ? ENOMEM : 0;
}
void free(void* piece) noexcept {
  if (piece != nullptr) --held;
  __libc_free(piece);
}
}

#else

// A sanitizer uses malloc itself and replaces each of these operators by its own.
namespace {

constexpr std::size_t usual = 1;  // alignment

void* take(std::size_t bytes, std::size_t alignment) noexcept {
  if (fails(Call::allocate)) return nullptr;
  const auto size = (bytes + alignment) / alignment * alignment;
  return got(alignment == usual ? std::malloc(size) : std::aligned_alloc(alignment, size));
}
void* take_or_throw(std::size_t bytes, std::size_t alignment) {
  void* const piece = take(bytes, alignment);
  if (piece == nullptr) throw std::bad_alloc();
  return piece;
}
void give(void* piece) noexcept {
  if (piece != nullptr) --held;
  std::free(piece);
}

}  // namespace

using Alignment = std::align_val_t;
using Nothrow = std::nothrow_t;
using Size = std::size_t;

void* operator new(Size n) { return take_or_throw(n, usual); }
void* operator new[](Size n) { return take_or_throw(n, usual); }
void* operator new(Size n, const Nothrow&) noexcept { return take(n, usual); }
void* operator new[](Size n, const Nothrow&) noexcept { return take(n, usual); }
void* operator new(Size n, Alignment a) { return take_or_throw(n, static_cast<Size>(a)); }
void* operator new[](Size n, Alignment a) { return take_or_throw(n, static_cast<Size>(a)); }
void* operator new(Size n, Alignment a, const Nothrow&) noexcept {
  return take(n, static_cast<Size>(a));
}
void* operator new[](Size n, Alignment a, const Nothrow&) noexcept {
  return take(n, static_cast<Size>(a));
}
void operator delete(void* p) noexcept { give(p); }
void operator delete[](void* p) noexcept { give(p); }
void operator delete(void* p, Size) noexcept { give(p); }
void operator delete[](void* p, Size) noexcept { give(p); }
void operator delete(void* p, const Nothrow&) noexcept { give(p); }
void operator delete[](void* p, const Nothrow&) noexcept { give(p); }
void operator delete(void* p, Alignment) noexcept { give(p); }
void operator delete[](void* p, Alignment) noexcept { give(p); }
void operator delete(void* p, Size, Alignment) noexcept { give(p); }
void operator delete[](void* p, Size, Alignment) noexcept { give(p); }
void operator delete(void* p, Alignment, const Nothrow&) noexcept { give(p); }
void operator delete[](void* p, Alignment, const Nothrow&) noexcept { give(p); }

#endif
