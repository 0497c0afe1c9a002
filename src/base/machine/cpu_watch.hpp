#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir {

/// CPU time that was kept from this process, since the start of the machine or of its cgroup. Empty:
/// the kernel does not say.
struct CpuLosses {
  std::optional<double> throttle_s{};  ///< by CPU limits of its cgroups, summed over CPUs
  std::optional<std::uint64_t> throttled_periods{};  ///< periods in which a limit was reached
  std::optional<double> steal_s{};  ///< by the hypervisor, from all CPUs of the machine
};

/// From the text of a cgroup's cpu.stat, of v1 or v2.
CpuLosses throttling_in(std::string_view cpu_stat) noexcept;
/// The clock ticks in the column `steal` of /proc/stat.
std::optional<std::uint64_t> steal_ticks_in(std::string_view proc_stat) noexcept;

/// Reads the CPU losses of this process.
class CpuWatch {
 public:
  /// Finds the cgroups of this process. Reads files below `root` only.
  explicit CpuWatch(const std::string& root = "/");
  /// Any thread. Allocates nothing.
  CpuLosses read() const noexcept;
  /// The tightest CPU limit of the cgroups, in CPUs. Empty: none.
  const std::optional<double>& limit() const noexcept { return limit_; }

 private:
  std::vector<std::string> cpu_stats_;  ///< of its cgroups
  std::string proc_stat_;
  std::optional<double> limit_;
};

}  // namespace weir
