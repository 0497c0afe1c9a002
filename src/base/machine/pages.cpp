#include "base/machine/pages.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <fstream>
#include <new>

#include "base/checked.hpp"
#include "base/file_descriptor.hpp"
#include "base/text.hpp"

namespace weir {
namespace {

std::string lock_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_MEMLOCK, &limit);  // it fails only for wrong arguments
  if (limit.rlim_cur == RLIM_INFINITY) return "none";
  return concat(limit.rlim_cur, " bytes");
}

}  // namespace

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

// It maps more than needed and unmaps both ends.
std::byte* map_pages(std::size_t length, std::size_t alignment) {
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

void unmap_pages(std::byte* first, std::size_t length, std::size_t) noexcept {
  munmap(first, length);
}

std::string no_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  if (std::getline(file, modes) && modes.find("[never]") == std::string::npos) return {};
  return "transparent_hugepage/enabled is never";
}

std::string use_huge_pages(std::byte* first, std::size_t length) {
  if (madvise(first, length, MADV_HUGEPAGE) == 0) return {};
  return "madvise: " + errno_text(errno);
}

std::string lock_pages(std::byte* first, std::size_t length) {
  if (mlock(first, length) == 0) return {};
  return "mlock: " + errno_text(errno) + " (RLIMIT_MEMLOCK is " + lock_limit() + ")";
}

}  // namespace weir
