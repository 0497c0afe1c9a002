#include "base/machine/cpu_room.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <memory>
#include <thread>

#include "base/machine/cgroups.hpp"
#include "base/threads.hpp"

namespace weir {
namespace {

/// The limit of one group in CPUs. Empty if it has none.
std::optional<double> quota_of(const Cgroup& group) {
  std::optional<std::uint64_t> quota, period;
  if (group.v2) {
    // "50000 100000" or "max 100000"
    std::ifstream in(group.folder / "cpu.max");
    std::uint64_t microseconds = 0, of = 0;
    if (in >> microseconds >> of) {
      quota = microseconds;
      period = of;
    }
  } else {
    quota = number_in(group.folder / "cpu.cfs_quota_us");  // -1: none
    period = number_in(group.folder / "cpu.cfs_period_us");
  }
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

}  // namespace

unsigned allowed_cpus() noexcept {
  // A mask for any number of CPUs. The kernel refuses one that is too small.
  constexpr std::size_t most_cpus = std::size_t{1} << 16;
  for (std::size_t cpus = 1024; cpus <= most_cpus; cpus *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> mask(
        CPU_ALLOC(cpus), [](cpu_set_t* set) { CPU_FREE(set); });
    const auto bytes = CPU_ALLOC_SIZE(cpus);
    if (mask && sched_getaffinity(0, bytes, mask.get()) == 0)
      return static_cast<unsigned>(CPU_COUNT_S(bytes, mask.get()));
    if (errno != EINVAL) break;
  }
  return std::thread::hardware_concurrency();
}

unsigned CpuRoom::threads() const noexcept {
  const auto most = std::max(1u, allowed);
  if (!quota || *quota >= most) return most;
  return std::max(1u, static_cast<unsigned>(std::ceil(*quota)));
}

CpuRoom cpu_room(const std::filesystem::path& root) {
  CpuRoom room{allowed_cpus(), std::nullopt};
  for (const auto& group : own_cgroups(root, "cpu"))
    if (const auto quota = quota_of(group); quota && (!room.quota || *quota < *room.quota))
      room.quota = quota;
  return room;
}

unsigned threads_for(unsigned requested) {
  return requested != 0 ? requested : cpu_room().threads();
}

}  // namespace weir
