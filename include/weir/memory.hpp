#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>

#include "weir/export.hpp"

namespace weir {

/// The result of auto_budget().
struct AutoBudget {
  std::uint64_t bytes = 0;  ///< for MemoryOptions::budget_bytes
  std::string how;          ///< one sentence with the share, the available memory and its origin
};

/// A share of the memory that is available now. The available memory is the smaller of two numbers:
/// the free part of the tightest memory cgroup of this process (v2 or v1; limit less use, without
/// reclaimable file cache) and MemAvailable of the machine. Nothing is reserved. Throws
/// Error{bad_options} if `share` is not in (0, 1] or if the kernel gives no numbers. Any thread.
WEIR_API AutoBudget auto_budget(double share = 0.5);

/// How PageMemory allocates pages.
struct PageOptions {
  bool huge = false;  ///< request transparent huge pages: fewer TLB misses, no additional memory
  bool lock = false;  ///< mlock the pages: never swapped, resident from the start
};

/// Allocates whole pages from the kernel and returns them immediately. Use it as `memory.upstream`;
/// it is the default for slabs. Blocks smaller than 64 KiB come from operator new, except locked
/// ones. If the kernel refuses huge pages or the lock, the allocation still succeeds and note()
/// states the reason. Any thread.
class WEIR_API PageMemory final : public std::pmr::memory_resource {
 public:
  /// Does not allocate.
  explicit PageMemory(PageOptions options = {});
  ~PageMemory() override;
  /// The refused requests with the kernel's reason. Empty if there were none.
  std::string note() const;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  bool from_pages(std::size_t bytes) const noexcept;

  struct State;
  const PageOptions options_;
  const std::unique_ptr<State> state_;  ///< null if the options request nothing that can be refused
};

/// Bytes that a PinnedMemory has allocated.
struct PinnedUse {
  std::uint64_t locked = 0;   ///< page-locked bytes now
  std::uint64_t refused = 0;  ///< pageable bytes now, because the driver refused the lock
};

/// Allocates whole pages that are page-locked for CUDA (cuMemHostRegister, for all contexts). Use
/// it as `memory.upstream`. The device copies from these pages asynchronously, at the full rate of
/// the bus and without a staging copy. A Loader allocates its slabs here; each is locked once and
/// reused. A cache uses ordinary pages.
///
/// The first object loads CUDA's driver (libcuda.so.1); weir is built without CUDA. Without a
/// driver or a device, or if the driver refuses, the allocation still succeeds with pageable
/// memory, and note() states the reason. Any thread.
class WEIR_API PinnedMemory final : public std::pmr::memory_resource {
 public:
  /// Locks nothing yet. Uses the current context of the calling thread, or else the primary context
  /// of `device`, which it retains.
  explicit PinnedMemory(int device = 0);
  ~PinnedMemory() override;
  /// What was not locked, with the driver's reason. Empty if everything was locked.
  std::string note() const;
  /// Current use.
  PinnedUse use() const;
  /// Maximum of locked bytes, computed in the constructor from the memory that machine and memory
  /// cgroup had available. Locked pages are never swapped or reclaimed. RLIMIT_MEMLOCK does not
  /// count them. 0 if no memory can be locked.
  std::uint64_t limit() const noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace weir
