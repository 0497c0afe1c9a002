#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weir::test {

/// The figures that one child printed.
struct ChildRun {
  int status = -1;  ///< as from waitpid; 0: success
  std::uint64_t start = 0, peak = 0, books_peak = 0, faults = 0, rows = 0;
};

/// Runs the child over `folders`, as a member of the memory group at `group` if one is given.
ChildRun run_child(std::uint64_t budget, const std::vector<std::filesystem::path>& folders,
                   const std::filesystem::path& group = {});

/// A memory cgroup below this process's own, of version 1 or 2. The destructor removes it.
class MemoryGroup {
 public:
  /// Empty if none can be made: no controller, no permission.
  static std::optional<MemoryGroup> make(std::uint64_t limit_bytes);
  MemoryGroup(MemoryGroup&& other) noexcept;
  MemoryGroup& operator=(MemoryGroup&&) = delete;
  ~MemoryGroup();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// The number of the group's processes that the kernel killed for memory.
  std::uint64_t kills() const;

 private:
  MemoryGroup(std::filesystem::path path, bool version2) noexcept;
  std::filesystem::path path_;
  bool version2_;
};

}  // namespace weir::test
