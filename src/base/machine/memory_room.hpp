#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace weir {

/// A memory cgroup that has a limit. All sizes are in bytes.
struct CgroupRoom {
  std::string path;  ///< path on this machine, mount point included
  std::uint64_t limit = 0;
  std::uint64_t used = 0;
  std::uint64_t cache = 0;  ///< inactive file cache, part of `used`; the kernel reclaims it first
  std::uint64_t left() const noexcept;
};

/// The bytes that this process can still use before the kernel stops it.
struct MemoryRoom {
  std::uint64_t machine = 0;         ///< MemAvailable; 0 if it is unknown
  std::optional<CgroupRoom> cgroup;  ///< the cgroup of this process with the least left
  /// The least of both. Empty if nothing says so.
  std::optional<std::uint64_t> left() const noexcept {
    if (machine == 0) return cgroup ? std::optional(cgroup->left()) : std::nullopt;
    return cgroup ? std::min(machine, cgroup->left()) : machine;
  }
};

/// Reads /proc and the cgroup file systems below `root`.
MemoryRoom memory_room(const std::filesystem::path& root = "/");

}  // namespace weir
