#include "base/room.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

#include "base/checked.hpp"
#include "base/threads.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

/// One mounted cgroup hierarchy.
struct Hierarchy {
  fs::path mount;  ///< the mount point
  fs::path group;  ///< the group of this process, relative to the mount
  bool v2 = false;
};

bool lists(std::string_view comma_separated, std::string_view name) {
  return ("," + std::string(comma_separated) + ",").find("," + std::string(name) + ",") !=
         std::string::npos;
}

/// Format, cgroups(7): "hierarchy:controllers:path". For v2, controllers is empty.
std::optional<std::string> own_group(const fs::path& root, bool v2, std::string_view controller) {
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = std::string_view(line).substr(first + 1, second - first - 1);
    if (v2 ? controllers.empty() : lists(controllers, controller)) return line.substr(second + 1);
  }
  return std::nullopt;
}

/// Format, proc(5): "id parent dev root mount options [tags] - type source superoptions". In a
/// container, the top of the mount is the group `root`. The path of the process may then be outside
/// the mount.
std::vector<Hierarchy> hierarchies(const fs::path& root, std::string_view controller) {
  std::vector<Hierarchy> out;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const auto dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream left(line.substr(0, dash)), right(line.substr(dash + 3));
    std::string skipped, top, mount, type, options;
    if (!(left >> skipped >> skipped >> skipped >> top >> mount)) continue;
    if (!(right >> type >> skipped >> options)) continue;
    const bool v2 = type == "cgroup2";
    if (!v2 && !(type == "cgroup" && lists(options, controller))) continue;
    Hierarchy found{root / fs::path(mount).relative_path(), {}, v2};
    if (const auto group = own_group(root, v2, controller)) {
      const auto below = fs::path(*group).lexically_relative(top);
      if (!below.empty() && *below.begin() != "..") found.group = below;
    }
    out.push_back(std::move(found));
  }
  return out;
}

/// The folder of a cgroup that contains this process.
struct Cgroup {
  std::filesystem::path folder;
  bool v2 = false;
};

/// The first word of a file as a number. Empty if it is none, such as the "max" of cgroup v2.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  if (!(in >> text)) return std::nullopt;
  return number(text);
}

/// The number after `key` in a file of "key value" lines.
std::optional<std::uint64_t> number_after(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string word, value; in >> word >> value; in.ignore(256, '\n')) {
    if (word == key) return number(value);
  }
  return std::nullopt;
}

std::vector<Cgroup> own_cgroups(const fs::path& root, std::string_view controller) {
  std::vector<Cgroup> groups;
  for (const auto& hierarchy : hierarchies(root, controller)) {
    auto group = hierarchy.mount / hierarchy.group;
    for (;;) {
      groups.push_back({group, hierarchy.v2});
      if (group == hierarchy.mount || group.lexically_relative(hierarchy.mount) == ".") break;
      group = group.parent_path();
    }
  }
  return groups;
}

/// A mask for any number of CPUs. The kernel refuses one that is too small.
unsigned allowed_cpus() {
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
