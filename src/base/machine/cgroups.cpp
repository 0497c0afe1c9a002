#include "base/machine/cgroups.hpp"

#include <fstream>
#include <sstream>
#include <string>

#include "base/numbers.hpp"
#include "base/text.hpp"

namespace weir {
namespace {

namespace fs = std::filesystem;

/// One mounted cgroup hierarchy.
struct Hierarchy {
  fs::path mount;  ///< the mount point
  fs::path group;  ///< the group of this process, relative to the mount
  bool v2 = false;
};

bool lists(std::string_view comma_separated, std::string_view name) {
  return concat(",", comma_separated, ",").find(concat(",", name, ",")) != std::string::npos;
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

}  // namespace

std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream in(file);
  std::string text;
  if (!(in >> text)) return std::nullopt;
  return parse_number<std::uint64_t>(text);
}

std::optional<std::uint64_t> number_after(const fs::path& file, std::string_view key) {
  std::ifstream in(file);
  for (std::string word, value; in >> word >> value; in.ignore(256, '\n')) {
    if (word == key) return parse_number<std::uint64_t>(value);
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

}  // namespace weir
