#include "proof/shadow/accountant.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "support/libc_heap.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weir::test::shadow {
namespace {

/// A header before each block. `mark` depends on the address, which distinguishes blocks that glibc
/// made before this program was linked.
struct Header {
  std::uint64_t mark, bytes, offset, unused;
};
constexpr std::uint64_t salt = 0x5eed'b00c'5ad0'face;
constexpr std::size_t least_offset = 32;
static_assert(sizeof(Header) == least_offset);

constinit std::mutex gate;  // guards the state below
constinit Heap heap{};
constinit Heap fixed_part{};
constinit Verdict verdict{};
constinit const MemoryLedger* watched = nullptr;

std::uint64_t mark_of(const void* piece) noexcept {
  return reinterpret_cast<std::uintptr_t>(piece) ^ salt;
}
Header& header_of(void* piece) noexcept {
  return *reinterpret_cast<Header*>(static_cast<std::byte*>(piece) - sizeof(Header));
}
bool is_ours(void* piece) noexcept { return header_of(piece).mark == mark_of(piece); }

/// Existing anonymous mappings. The library takes large blocks from the kernel itself.
struct Mapping {
  void* first = nullptr;
  std::size_t bytes = 0;
};
constinit std::array<Mapping, 4096> mappings{};

/// A mapping is whole pages. At least this much of it was requested.
std::uint64_t least_wanted(std::size_t mapped) noexcept { return mapped - 4095; }

void compare() noexcept {
  if (watched == nullptr) return;
  const auto books = watched->snapshot().live;
  const auto above = [&](std::uint64_t held, std::uint64_t fixed) {
    return static_cast<std::int64_t>(held - fixed - books);
  };
  ++verdict.events;
  verdict.worst_all = std::max(verdict.worst_all, above(heap.all, fixed_part.all));
  verdict.worst_large = std::max(verdict.worst_large, above(heap.large, fixed_part.large));
}

}  // namespace

void* take(std::size_t alignment, std::size_t bytes) noexcept {
  const auto offset = std::max(alignment, least_offset);
  if (bytes > SIZE_MAX / 2 - offset) return nullptr;
  auto* const whole =
      static_cast<std::byte*>(offset > least_offset ? __libc_memalign(offset, bytes + offset)
                                                    : __libc_malloc(bytes + offset));
  if (whole == nullptr) return nullptr;
  auto* const piece = whole + offset;
  header_of(piece) = {mark_of(piece), bytes, offset, 0};
  const std::lock_guard lock(gate);
  heap.all += bytes;
  if (bytes >= large_piece) heap.large += bytes;
  compare();
  return piece;
}

void give_back(void* piece) noexcept {
  if (piece == nullptr) return;
  if (!is_ours(piece)) return __libc_free(piece);
  const auto [mark, bytes, offset, unused] = header_of(piece);
  header_of(piece).mark = 0;
  {
    // Subtracted before the block is freed: the books must show as much or more at every moment.
    const std::lock_guard lock(gate);
    compare();
    heap.all -= bytes;
    if (bytes >= large_piece) heap.large -= bytes;
  }
  __libc_free(static_cast<std::byte*>(piece) - offset);
}

void note_mapping(void* first, std::size_t bytes) noexcept {
  const std::lock_guard lock(gate);
  const auto free = std::ranges::find(mappings, nullptr, &Mapping::first);
  if (free == mappings.end()) std::abort();
  *free = {first, bytes};
  heap.all += least_wanted(bytes);
  heap.large += least_wanted(bytes);
  compare();
}

void forget_mapping(void* first, std::size_t bytes) noexcept {
  const std::lock_guard lock(gate);
  const auto known = std::ranges::find(mappings, first, &Mapping::first);
  if (known == mappings.end() || known->bytes != bytes) return;
  compare();
  heap.all -= least_wanted(bytes);
  heap.large -= least_wanted(bytes);
  *known = {};
}

Instant look(const MemoryLedger& ledger) noexcept {
  const std::lock_guard lock(gate);
  return {heap, ledger.snapshot().live};
}

void watch(const MemoryLedger& ledger, const Heap& fixed) noexcept {
  const std::lock_guard lock(gate);
  verdict = {};
  fixed_part = fixed;
  watched = &ledger;
}

std::uint64_t events() noexcept {
  const std::lock_guard lock(gate);
  return verdict.events;
}

Verdict stop_watching() noexcept {
  const std::lock_guard lock(gate);
  watched = nullptr;
  return verdict;
}

}  // namespace weir::test::shadow

using weir::test::shadow::give_back;
using weir::test::shadow::take;

// ---- the malloc family (glibc manual, "Replacing malloc") ---------------------------------------

extern "C" {
void* malloc(std::size_t bytes) {
  void* const piece = take(1, bytes);
  if (piece == nullptr) errno = ENOMEM;
  return piece;
}
void free(void* piece) { give_back(piece); }
void* calloc(std::size_t count, std::size_t each) {
  std::size_t bytes = 0;
  void* const piece = __builtin_mul_overflow(count, each, &bytes) ? nullptr : take(1, bytes);
  if (piece == nullptr) {
    errno = ENOMEM;
    return nullptr;
  }
  return std::memset(piece, 0, bytes);
}
void* realloc(void* piece, std::size_t bytes) {
  if (piece == nullptr) return malloc(bytes);
  if (!weir::test::shadow::is_ours(piece)) return __libc_realloc(piece, bytes);
  if (bytes == 0) {
    free(piece);
    return nullptr;
  }
  void* const next = malloc(bytes);
  if (next == nullptr) return nullptr;
  std::memcpy(next, piece,
              std::min<std::size_t>(bytes, weir::test::shadow::header_of(piece).bytes));
  free(piece);
  return next;
}
void* memalign(std::size_t alignment, std::size_t bytes) { return take(alignment, bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return take(alignment, bytes); }
int posix_memalign(void** piece, std::size_t alignment, std::size_t bytes) {
  *piece = take(alignment, bytes);
  return *piece == nullptr ? ENOMEM : 0;
}
void* valloc(std::size_t bytes) { return take(4096, bytes); }
std::size_t malloc_usable_size(void* piece) {
  return piece == nullptr ? 0 : weir::test::shadow::header_of(piece).bytes;
}
}

// glibc's own mappings, mainly thread stacks, do not use these functions.
extern "C" {
void* mmap(void* wish, std::size_t bytes, int protection, int flags, int file,
           off_t offset) noexcept {
  const long result = ::syscall(SYS_mmap, wish, bytes, protection, flags, file, offset);
  auto* const first = reinterpret_cast<void*>(result);
  const bool memory = (flags & MAP_ANONYMOUS) != 0 && (protection & PROT_WRITE) != 0;
  if (first != MAP_FAILED && memory) weir::test::shadow::note_mapping(first, bytes);
  return first;
}
int munmap(void* first, std::size_t bytes) noexcept {
  weir::test::shadow::forget_mapping(first, bytes);
  return static_cast<int>(::syscall(SYS_munmap, first, bytes));
}
}

// libstdc++ rounds sizes up to the alignment before it calls aligned_alloc. The books do not
// include such allocator overhead, so the requested size is counted here.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  if (void* const piece = take(static_cast<std::size_t>(alignment), bytes)) return piece;
  throw std::bad_alloc();
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(static_cast<std::size_t>(alignment), bytes);
}
void operator delete(void* piece, std::align_val_t) noexcept { give_back(piece); }
void operator delete(void* piece, std::size_t, std::align_val_t) noexcept { give_back(piece); }
