#include "buffer/page_memory.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <system_error>

#include "base/checked.hpp"
#include "base/mutex.hpp"
#include "base/text.hpp"

namespace weir {
namespace buffer {

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t whole_pages(std::size_t bytes) noexcept {
  return static_cast<std::size_t>(round_up(std::max<std::size_t>(bytes, 1), page_size()));
}

}  // namespace buffer

namespace {

using buffer::page_size, buffer::whole_pages;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

// AddressSanitizer adds red zones to memory from operator new, but not to mapped pages.
constexpr std::size_t least_mapped = sanitized ? SIZE_MAX : 64 * 1024;
constexpr std::size_t huge_page = 2u << 20;

/// Maps aligned address space. It maps more than needed and unmaps both ends.
std::byte* map(std::size_t length, std::size_t alignment) {
  const auto slack = alignment > page_size() ? alignment : 0;
  void* const mapped =
      mmap(nullptr, length + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(mapped);
  if (slack == 0) return first;
  const auto address = reinterpret_cast<std::uintptr_t>(first);
  const auto before = static_cast<std::size_t>(round_up(address, alignment) - address);
  if (before > 0) munmap(first, before);
  munmap(first + before + length, slack - before);  // slack = alignment > before
  return first + before;
}

bool huge_pages_are_off() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  return !std::getline(file, modes) || modes.find("[never]") != std::string::npos;
}

std::string reason(int code) { return std::generic_category().message(code); }

std::string lock_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);  // it fails only for wrong arguments
  if (limit.rlim_cur == RLIM_INFINITY) return "none";
  return concat(limit.rlim_cur, " bytes");
}

}  // namespace

struct PageMemory::State {
  Guarded<std::string> huge_note, lock_note;
};

PageMemory::PageMemory(PageOptions options)
    : options_(options),
      state_(options.huge || options.lock ? std::make_unique<State>() : nullptr) {
  if (options_.huge && huge_pages_are_off())
    state_->huge_note.set(
        "no huge pages: transparent_hugepage/enabled is never; standard pages are used");
}

PageMemory::~PageMemory() = default;

std::string PageMemory::note() const {
  if (!state_) return {};
  const auto huge = state_->huge_note.get(), lock = state_->lock_note.get();
  return huge + (huge.empty() || lock.empty() ? "" : "; ") + lock;
}

bool PageMemory::from_pages(std::size_t bytes) const noexcept {
  return options_.lock || bytes >= least_mapped;
}

void* PageMemory::do_allocate(std::size_t bytes, std::size_t alignment) {
  if (!from_pages(bytes)) return ::operator new (bytes, std::align_val_t{alignment});
  const bool huge = options_.huge && bytes >= huge_page;
  const auto length = whole_pages(bytes);
  auto* const data = map(length, huge ? std::max(alignment, huge_page) : alignment);
  try {
    if (huge && madvise(data, length, MADV_HUGEPAGE) != 0)
      state_->huge_note.set("no huge pages: madvise: " + reason(errno) +
                            "; standard pages are used");
    if (options_.lock && mlock(data, length) != 0)
      state_->lock_note.set("not locked: mlock: " + reason(errno) + " (RLIMIT_MEMLOCK is " +
                            lock_limit() + "); the memory can be swapped out");
  } catch (...) {
    munmap(data, length);
    throw;
  }
  return data;
}

void PageMemory::do_deallocate(void* data, std::size_t bytes, std::size_t alignment) {
  if (!from_pages(bytes)) return ::operator delete (data, std::align_val_t{alignment});
  munmap(data, whole_pages(bytes));
}

bool PageMemory::do_is_equal(const std::pmr::memory_resource& other) const noexcept {
  return this == &other;
}

namespace buffer {

PageMemory& page_memory() noexcept {
  // Never destroyed, because a lease may be released after static objects are destroyed.
  alignas(PageMemory) static std::array<std::byte, sizeof(PageMemory)> storage;
  static auto& memory = *new (storage.data()) PageMemory();
  return memory;
}

}  // namespace buffer
}  // namespace weir
