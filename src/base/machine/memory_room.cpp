#include "base/machine/memory_room.hpp"

#include "base/checked.hpp"
#include "base/machine/cgroups.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

// cgroup v1 writes "no limit" as a number near 2^63. v2 writes the word max.
constexpr std::uint64_t no_limit = 1ull << 60;

std::optional<CgroupRoom> room_of(const fs::path& group, bool v2) {
  CgroupRoom room;
  room.path = group.lexically_normal().string();
  auto limit = number_in(group / (v2 ? "memory.max" : "memory.limit_in_bytes"));
  if (v2) {
    // The kernel throttles a process above memory.high until it frees memory.
    const auto high = number_in(group / "memory.high");
    if (high && (!limit || *high < *limit)) limit = high;
  }
  const auto used = number_in(group / (v2 ? "memory.current" : "memory.usage_in_bytes"));
  if (!limit || *limit >= no_limit || !used) return std::nullopt;
  room.limit = *limit;
  room.used = *used;
  room.cache =
      number_after(group / "memory.stat", v2 ? "inactive_file" : "total_inactive_file").value_or(0);
  return room;
}

}  // namespace

std::uint64_t CgroupRoom::left() const noexcept { return sub_floor(limit, sub_floor(used, cache)); }

MemoryRoom memory_room(const fs::path& root) {
  MemoryRoom room;
  room.machine = mul_sat(number_after(root / "proc/meminfo", "MemAvailable:").value_or(0), 1024);
  for (const auto& [folder, v2] : own_cgroups(root, "memory")) {
    const auto found = room_of(folder, v2);
    if (found && (!room.cgroup || found->left() < room.cgroup->left())) room.cgroup = found;
  }
  return room;
}

}  // namespace weir
