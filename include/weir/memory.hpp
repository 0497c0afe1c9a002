#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"

/// \file
/// Memory resources for slabs and for a trainer's own containers, and the end of a lease of their memory.
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

/// Bytes of one account of a MemoryUse.
struct AccountUse {
  std::string name;           ///< name passed to account()
  std::uint64_t live = 0;     ///< bytes allocated now
  std::uint64_t peak = 0;     ///< maximum of this account
  std::uint64_t at_peak = 0;  ///< bytes of this account at the common peak of all accounts
};

/// Bytes by account at one instant, and the peaks since the last reset. The sum of the accounts'
/// `live` is `live`, and the sum of their `at_peak` is `peak`. The peaks of single accounts may be
/// at different times.
struct WEIR_API MemoryUse {
  std::uint64_t live = 0;            ///< bytes allocated now
  std::uint64_t peak = 0;            ///< maximum of the sum of all accounts
  std::vector<AccountUse> accounts;  ///< in order of creation
  /// The account with that name. All zero if it does not exist.
  AccountUse operator[](std::string_view account) const;
};

namespace buffer {
class Counts;
}  // namespace buffer

/// A memory resource that counts the bytes of named accounts. Use it for a trainer's own containers
/// or as `memory.upstream`.
///
///     weir::CountingResource memory;
///     std::pmr::vector<float> weights(n, memory.account("parameters"));
///     memory.use();  // torch.cuda's memory_allocated is its live, max_memory_allocated its peak
///
/// It counts requested bytes, without the rounding of the upstream. Bytes count from a successful
/// allocation until the deallocation; failed allocations do not count. Memory returns to the
/// account that allocated it: for std::pmr, no two accounts are equal. A copied container uses
/// std::pmr's default resource, as with every std::pmr container.
///
/// Any thread. Must outlive all memory that it allocated.
class WEIR_API CountingResource final : public std::pmr::memory_resource {
 public:
  /// `upstream` must outlive this object and must be safe for the threads that use it.
  explicit CountingResource(std::pmr::memory_resource* upstream = std::pmr::new_delete_resource());
  ~CountingResource() override;
  CountingResource(const CountingResource&) = delete;
  CountingResource& operator=(const CountingResource&) = delete;

  /// Returns the account with that name. The first call creates it. The pointer is valid as long as
  /// this object. Direct allocations from this object belong to the account `other`. Throws
  /// Error{bad_options} if the name is empty.
  std::pmr::memory_resource* account(std::string_view name);

  /// All accounts: first `other`, then the others in order of creation.
  MemoryUse use() const;
  /// Current bytes of all accounts.
  std::uint64_t live() const noexcept;
  /// Sets each peak to the current bytes. Peaks of a MemoryProfile that watches this object do not
  /// change.
  void reset_peak() noexcept;

 private:
  friend struct Internals;
  void* do_allocate(std::size_t bytes, std::size_t alignment) override;
  void do_deallocate(void* data, std::size_t bytes, std::size_t alignment) override;
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override;

  struct State;
  std::shared_ptr<buffer::Counts> counts_;
  const std::unique_ptr<State> state_;
};

/// Reports when a reader of a batch, such as a device, has finished. Adapters implement it; see
/// Batch::release_when and interop/cuda.hpp.
class LeaseEnd {
 public:
  virtual ~LeaseEnd() = default;
  /// Whether the reader has finished. The stream's scheduling thread, next() or the Loader's
  /// destructor call it, one at a time, until it returns true. It must return at once and must not
  /// call the loader. If it throws, the slab returns and the stream ends: next() delivers the ready
  /// batches and then throws this exception.
  virtual bool reached() = 0;
};

}  // namespace weir
