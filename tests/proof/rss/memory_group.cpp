#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "proof/rss/children.hpp"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

bool put(const fs::path& file, const std::string& text) {
  std::ofstream out(file);
  out << text << std::flush;
  return out.good();
}

/// The path of this process's group below `root`, from its line in /proc/self/cgroup ("4:memory:/a" or "0::/a").
std::optional<fs::path> own_group(const std::string& controller, const fs::path& root) {
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos || line.substr(first + 1, second - first - 1) != controller)
      continue;
    fs::path path = root / fs::path(line.substr(second + 1)).relative_path();
    std::error_code none;
    // In a container the line may name a group that is mounted as the root.
    return fs::is_directory(path, none) ? path : root;
  }
  return std::nullopt;
}

}  // namespace

MemoryGroup::MemoryGroup(fs::path path, bool version2) noexcept
    : path_(std::move(path)), version2_(version2) {}
MemoryGroup::MemoryGroup(MemoryGroup&& other) noexcept
    : path_(std::exchange(other.path_, fs::path())), version2_(other.version2_) {}

std::optional<MemoryGroup> MemoryGroup::make(std::uint64_t limit_bytes) {
  const auto limit = std::to_string(limit_bytes);
  for (const bool version2 : {false, true}) {
    const auto parent =
        version2 ? own_group("", "/sys/fs/cgroup") : own_group("memory", "/sys/fs/cgroup/memory");
    std::error_code failed;
    if (!parent || !fs::is_directory(*parent, failed)) continue;
    const auto path = *parent / ("weir-test-" + std::to_string(::getpid()));
    if (!fs::create_directory(path, failed)) continue;
    MemoryGroup group(path, version2);
    if (!put(path / (version2 ? "memory.max" : "memory.limit_in_bytes"), limit)) continue;
    // Without swap; otherwise too much memory would only be slow.
    put(path / (version2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes"),
        version2 ? "0" : limit);
    return group;
  }
  return std::nullopt;
}

MemoryGroup::~MemoryGroup() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

std::uint64_t MemoryGroup::kills() const {
  std::ifstream events(path_ / (version2_ ? "memory.events" : "memory.oom_control"));
  for (std::string word; events >> word;) {
    std::uint64_t count = 0;
    if (word == "oom_kill" && events >> count) return count;
  }
  return 0;
}

}  // namespace weir::test
