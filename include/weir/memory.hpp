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

/// What a PinnedMemory has locked. Bytes.
struct PinnedUse {
  std::uint64_t locked = 0;   ///< page-locked now
  std::uint64_t refused = 0;  ///< given now, but pageable: the driver refused the lock
};

/// Whole pages, page-locked for CUDA (cuMemHostRegister, for all contexts): for `memory.upstream`. The device
/// copies from them without a staging copy, at the full rate of the bus, while the CPU goes on. A Loader takes
/// its slabs from it, each locked once and used again; a cache keeps its samples in ordinary pages.
///
/// CUDA's driver is loaded when the first object is made (libcuda.so.1); weir is built without CUDA. Where
/// there is no driver or no device, or the driver refuses, the memory is given all the same, pageable, and
/// note() says why. Any thread.
class WEIR_API PinnedMemory final : public std::pmr::memory_resource {
 public:
  /// Locks nothing yet. Takes the current context of the calling thread; where there is none, the primary
  /// context of `device`, which it keeps alive.
  explicit PinnedMemory(int device = 0);
  ~PinnedMemory() override;
  /// What was not locked, with the driver's reason; empty where all was.
  std::string note() const;
  /// What is locked now.
  PinnedUse use() const;
  /// The most that could be locked when this object was made: what machine and memory cgroup had left. Locked
  /// pages are never swapped out or given back; RLIMIT_MEMLOCK does not count them. 0: nothing can be locked.
  std::uint64_t limit() const noexcept;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace weir
