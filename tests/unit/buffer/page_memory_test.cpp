#include "buffer/page_memory.hpp"

#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <new>
#include <string>

#include "base/machine/pages.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"

using namespace weir;

namespace {

[[maybe_unused]] std::uint64_t status_kilobytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string word;
  for (std::uint64_t value = 0; status >> word;) {
    if (word == key && status >> value) return value;
  }
  return 0;
}

}  // namespace

TEST_CASE("pages are aligned and writable and go back to the kernel", "[memory]") {
  PageMemory memory;
  const std::size_t page = page_size();
  const std::size_t sizes[] = {1, page, 70'001, 17 * page + 1, 10u << 20};
  for (const auto bytes : sizes) {
    for (const std::size_t alignment : {std::size_t{64}, page, std::size_t{1} << 21}) {
      CAPTURE(bytes, alignment);
      void* const data = memory.allocate(bytes, alignment);
      CHECK(reinterpret_cast<std::uintptr_t>(data) % alignment == 0);
      std::memset(data, 1, bytes);
      memory.deallocate(data, bytes, alignment);
    }
  }
  CHECK(memory.note().empty());
  CHECK(memory.is_equal(memory));
  CHECK_FALSE(memory.is_equal(*std::pmr::new_delete_resource()));
#ifndef WEIR_ADDRESS_SANITIZER
  // An emulator adds memory of its own, but less than the 2 MiB that alignment may leave behind.
  constexpr std::uint64_t emulators = 1024;
  const auto before = status_kilobytes("VmSize:");
  void* const data = memory.allocate(64u << 20, 1u << 21);
  const auto mapped = status_kilobytes("VmSize:");
  CHECK(mapped >= before + (64u << 10));
  CHECK(mapped < before + (64u << 10) + emulators);
  memory.deallocate(data, 64u << 20, 1u << 21);
  CHECK(status_kilobytes("VmSize:") < before + emulators);
#endif
}

TEST_CASE("huge pages are asked for, or the note says why not", "[memory]") {
  PageMemory memory({.huge = true});
  constexpr std::size_t bytes = (6u << 20) + 5;
  void* const data = memory.allocate(bytes, 64);
  std::memset(data, 1, bytes);
#ifndef WEIR_ADDRESS_SANITIZER
  CHECK(reinterpret_cast<std::uintptr_t>(data) % (2u << 20) == 0);
#endif
  std::ifstream enabled("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(enabled, modes);
  const bool off = modes.empty() || modes.find("[never]") != std::string::npos;
  CHECK(memory.note().empty() == !off);
  memory.deallocate(data, bytes, 64);
  void* const small = memory.allocate(100'000, 64);  // smaller than a huge page: standard pages
  std::memset(small, 1, 100'000);
  memory.deallocate(small, 100'000, 64);
}

namespace {

/// Takes the privilege to lock memory beyond the limit from this thread, while it exists.
class [[maybe_unused]] Unprivileged {
 public:
  Unprivileged() {
    call(SYS_capget, before_);
    auto less = before_;
    less[CAP_TO_INDEX(CAP_IPC_LOCK)].effective &= ~CAP_TO_MASK(CAP_IPC_LOCK);
    call(SYS_capset, less);
  }
  ~Unprivileged() { call(SYS_capset, before_); }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;

 private:
  using Sets = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;
  static void call(long number, Sets& sets) {
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    syscall(number, &header, sets.data());
  }
  Sets before_{};
};

}  // namespace

// Sanitizers replace mlock, and it locks nothing.
#if !defined(WEIR_ADDRESS_SANITIZER) && !defined(WEIR_THREAD_SANITIZER)

namespace {
thread_local bool refuses = false;
}

// Not inlined: GCC 12 takes inlined ones for a mismatch of new and free().
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (void* const data = refuses ? nullptr : std::malloc(bytes)) return data;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* data) noexcept { std::free(data); }
[[gnu::noinline]] void operator delete(void* data, std::size_t) noexcept { std::free(data); }

TEST_CASE("memory that cannot be locked is given with a note", "[memory]") {
  PageMemory memory({.lock = true});
  rlimit before{};
  getrlimit(RLIMIT_MEMLOCK, &before);
  const auto locked_before = status_kilobytes("VmLck:");
  constexpr std::size_t bytes = 128u << 10;
  void* data = memory.allocate(bytes, 64);
  if (memory.note().empty()) {
    CHECK(status_kilobytes("VmLck:") == locked_before + (bytes >> 10));
  } else {
    WARN("this process may not lock memory: " << memory.note());
  }
  memory.deallocate(data, bytes, 64);
  CHECK(status_kilobytes("VmLck:") == locked_before);

  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_MEMLOCK, &none);
  {
    const Unprivileged thread;
    data = memory.allocate(bytes, 64);
  }
  std::memset(data, 1, bytes);
  CHECK(status_kilobytes("VmLck:") == locked_before);
  CHECK_THAT(memory.note(), test::has_text("not locked: mlock: "));
  CHECK_THAT(memory.note(), test::has_text("(RLIMIT_MEMLOCK is 0 bytes)"));
  memory.deallocate(data, bytes, 64);
  {
    // If there is no memory for that note, the mapping is removed.
    const auto mapped_before = status_kilobytes("VmSize:");
    const Unprivileged thread;
    refuses = true;
    CHECK_THROWS_AS(data = memory.allocate(bytes, 64), std::bad_alloc);
    refuses = false;
    CHECK(status_kilobytes("VmSize:") == mapped_before);
  }
  setrlimit(RLIMIT_MEMLOCK, &before);
}

#endif
