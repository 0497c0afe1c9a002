#pragma once

#include <filesystem>
#include <optional>

namespace weir {

/// The CPUs that this process may use.
struct CpuRoom {
  unsigned allowed = 1;         ///< CPUs in the affinity mask of the calling thread
  std::optional<double> quota;  ///< the tightest CPU limit of its cgroups, in CPUs; empty: none
  /// Threads that keep all of this busy: at least 1, a part of a CPU counts as one.
  unsigned threads() const noexcept;
};

/// CPUs in the affinity mask of the calling thread. Threads that it starts inherit the mask.
unsigned allowed_cpus() noexcept;

/// Reads /proc and the cgroup file systems below `root`.
CpuRoom cpu_room(const std::filesystem::path& root = "/");

}  // namespace weir
