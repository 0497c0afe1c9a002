#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>

#include "weir/export.hpp"

namespace weir {

/// A budget that was worked out, and how.
struct AutoBudget {
  std::uint64_t bytes = 0;  ///< for MemoryOptions::budget_bytes
  std::string how;          ///< one sentence: the share, what was left, and of what
};

/// `share` of the memory that is left: of the tightest memory cgroup above this process (v2 or v1;
/// its limit less what it uses, file cache that the kernel would give up not counted) or of the
/// machine (MemAvailable), whichever is less. What is left now, not a reservation. Throws
/// Error{bad_options} where `share` is not above 0 and at most 1 or the kernel does not say. Any thread.
WEIR_API AutoBudget auto_budget(double share = 0.5);

/// How PageMemory takes its pages.
struct PageOptions {
  bool huge = false;  ///< ask for transparent huge pages: fewer TLB misses, no more memory
  bool lock = false;  ///< mlock: never swapped; resident from the start
};

/// Whole pages from the kernel, given back to it at once: for `memory.upstream`, and what slabs come
/// from where there is none. Blocks of less than 64 KiB come from operator new, unless they are to be
/// locked. Where the kernel refuses huge pages or the lock, the memory is still given, and note()
/// says so. Any thread.
class WEIR_API PageMemory final : public std::pmr::memory_resource {
 public:
  /// Takes nothing yet.
  explicit PageMemory(PageOptions options = {});
  ~PageMemory() override;
  /// What was asked for and not given, with the kernel's reason; empty where nothing was refused.
  std::string note() const;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  bool from_pages(std::size_t bytes) const noexcept;

  struct State;
  const PageOptions options_;
  const std::unique_ptr<State> state_;  ///< null where nothing can be refused
};

}  // namespace weir
