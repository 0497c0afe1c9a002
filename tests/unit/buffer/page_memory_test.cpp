#include "buffer/page_memory.hpp"

#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>

#include "support/catch.hpp"

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

TEST_CASE("pages are aligned as asked, writable, and go back to the kernel", "[memory]") {
  PageMemory memory;
  const std::size_t sizes[] = {1, 4096, 70'001, 10u << 20};
  for (const auto bytes : sizes) {
    for (const std::size_t alignment : {64u, 4096u, 1u << 21}) {
      CAPTURE(bytes, alignment);
      void* const data = memory.allocate(bytes, alignment);
      CHECK(reinterpret_cast<std::uintptr_t>(data) % alignment == 0);
      std::memset(data, 1, bytes);
      memory.deallocate(data, bytes, alignment);
    }
  }
  CHECK(memory.note().empty());
#if !defined(__SANITIZE_ADDRESS__)
  const auto before = status_kilobytes("VmSize:");
  void* const data = memory.allocate(64u << 20, 1u << 21);
  CHECK(status_kilobytes("VmSize:") == before + (64u << 10));
  memory.deallocate(data, 64u << 20, 1u << 21);
  CHECK(status_kilobytes("VmSize:") == before);
#endif
}

TEST_CASE("huge pages are asked for, or the note says why not", "[memory]") {
  PageMemory memory({.huge = true});
  constexpr std::size_t bytes = (6u << 20) + 5;
  void* const data = memory.allocate(bytes, 64);
  std::memset(data, 1, bytes);
#if !defined(__SANITIZE_ADDRESS__)
  CHECK(reinterpret_cast<std::uintptr_t>(data) % (2u << 20) == 0);
#endif
  std::ifstream enabled("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string modes;
  std::getline(enabled, modes);
  const bool off = modes.empty() || modes.find("[never]") != std::string::npos;
  CHECK(memory.note().empty() == !off);
  memory.deallocate(data, bytes, 64);
}

// The sanitizers take mlock for themselves and lock nothing.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

TEST_CASE("memory that cannot be locked is given all the same, and the note says so", "[memory]") {
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

  // Without the privilege to lock anything the limit of 0 refuses every lock.
  const rlimit none{0, before.rlim_max};
  setrlimit(RLIMIT_MEMLOCK, &none);
  data = memory.allocate(bytes, 64);
  std::memset(data, 1, bytes);
  const bool locked = status_kilobytes("VmLck:") > locked_before;
  CHECK((locked || memory.note().find("not locked: mlock: ") == 0));
  memory.deallocate(data, bytes, 64);
  setrlimit(RLIMIT_MEMLOCK, &before);
}

#endif
