#include "buffer/page_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/checked.hpp"
#include "base/guarded.hpp"
#include "base/machine/pages.hpp"

namespace weir {
namespace buffer {

std::size_t whole_pages(std::size_t bytes) noexcept {
  return static_cast<std::size_t>(round_up(std::max<std::size_t>(bytes, 1), page_size()));
}

}  // namespace buffer

namespace {

using buffer::whole_pages;

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
constexpr std::size_t least_mapped = sanitized ? SIZE_MAX : std::size_t{64} << 10;
constexpr std::size_t huge_page = 2u << 20;

std::size_t alignment_of(std::size_t alignment, bool huge) {
  return huge ? std::max(alignment, huge_page) : alignment;
}
std::string no_huge(const std::string& reason) {
  return "no huge pages: " + reason + "; standard pages are used";
}

}  // namespace

struct PageMemory::State {
  Guarded<std::string> huge_note, lock_note;
};

PageMemory::PageMemory(PageOptions options)
    : options_(options),
      state_(options.huge || options.lock ? std::make_unique<State>() : nullptr) {
  if (!options_.huge) return;
  if (const auto reason = no_huge_pages(); !reason.empty()) state_->huge_note.set(no_huge(reason));
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
  auto* const data = map_pages(length, alignment_of(alignment, huge));
  try {
    if (huge)
      if (const auto reason = use_huge_pages(data, length); !reason.empty())
        state_->huge_note.set(no_huge(reason));
    if (options_.lock)
      if (const auto reason = lock_pages(data, length); !reason.empty())
        state_->lock_note.set("not locked: " + reason + "; the memory can be swapped out");
  } catch (...) {
    unmap_pages(data, length, alignment_of(alignment, huge));
    throw;
  }
  return data;
}

void PageMemory::do_deallocate(void* data, std::size_t bytes, std::size_t alignment) {
  if (!from_pages(bytes)) return ::operator delete (data, std::align_val_t{alignment});
  const bool huge = options_.huge && bytes >= huge_page;
  unmap_pages(static_cast<std::byte*>(data), whole_pages(bytes), alignment_of(alignment, huge));
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
