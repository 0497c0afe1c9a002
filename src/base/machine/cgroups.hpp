#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace weir {

/// The folder of a cgroup that contains this process.
struct Cgroup {
  std::filesystem::path folder;
  bool v2 = false;
};

/// The groups in which `controller` ("memory", "cpu") may limit this process: its own and those above
/// it. Reads /proc below `root`.
std::vector<Cgroup> own_cgroups(const std::filesystem::path& root, std::string_view controller);

/// The first word of a file as a number. Empty if it is none, such as the "max" of cgroup v2.
std::optional<std::uint64_t> number_in(const std::filesystem::path& file);

/// The number after `key` in a file of "key value" lines.
std::optional<std::uint64_t> number_after(const std::filesystem::path& file, std::string_view key);

}  // namespace weir
