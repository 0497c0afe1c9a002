#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weir::test {

/// What one child said about itself.
struct ChildRun {
  int status = -1;  ///< as waitpid gives it; 0: it ended well
  std::uint64_t start = 0, peak = 0, books_peak = 0, faults = 0, rows = 0;
};

/// Runs the child over `folders`, as a member of the memory group at `group` where one is given.
ChildRun run_child(std::uint64_t budget, const std::vector<std::filesystem::path>& folders,
                   const std::filesystem::path& group = {});

/// A memory cgroup below this process's own, of version 1 or 2, gone with this object.
class MemoryGroup {
 public:
  /// Empty where none can be made: no controller, no permission.
  static std::optional<MemoryGroup> make(std::uint64_t limit_bytes);
  MemoryGroup(MemoryGroup&& other) noexcept;
  MemoryGroup& operator=(MemoryGroup&&) = delete;
  ~MemoryGroup();

  const std::filesystem::path& path() const noexcept { return path_; }
  /// Processes of the group that the kernel killed for memory.
  std::uint64_t kills() const;

 private:
  MemoryGroup(std::filesystem::path path, bool version2) noexcept;
  std::filesystem::path path_;
  bool version2_;
};

}  // namespace weir::test
