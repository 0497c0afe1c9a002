#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weir {

/// A memory cgroup with a limit. Bytes.
struct CgroupRoom {
  std::string path;  ///< as mounted here
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
  std::uint64_t cache = 0;  ///< of `used`: inactive file cache, which the kernel gives up first
  std::uint64_t left() const noexcept;
};

/// What this process can still take before the kernel stops it.
struct MemoryRoom {
  std::uint64_t machine = 0;         ///< MemAvailable; 0 where the kernel does not say
  std::optional<CgroupRoom> cgroup;  ///< the tightest of those above this process, v2 or v1
};

/// Reads /proc and the cgroup file systems, all under `root`.
MemoryRoom memory_room(const std::filesystem::path& root = "/");

}  // namespace weir
