#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/export.hpp"

/// \file
/// Memory resources for slabs and for a trainer's own containers, the end of a lease of their memory, and
/// caches of samples.
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

/// Which form of a sample is kept from epoch to epoch.
enum class Cache : std::uint8_t {
  nothing,  ///< every sample is read and decoded each time
  encoded,  ///< the encoded bytes: a hit skips reading, not decoding
  /// The delivered row: a hit skips reading and decoding. Allowed only if a row depends on its
  /// sample alone: not with Fit::random, Fit::patch, flips by chance, windows without
  /// same_each_epoch, a size function, partners, a transform or Decode::none.
  decoded,
};
/// The name of the enumerator, for example "encoded". Any thread.
WEIR_API std::string_view to_string(Cache cache) noexcept;

class CacheStore;
class MemoryLedger;

/// A cache for samples in the memory that the budget leaves (account `cache`). It does not change
/// what is delivered. It keeps the first samples that were delivered without a fault. A sample
/// stays until the memory is needed for another sample or slab, of this loader or of another loader
/// with the same ledger. There is no replacement policy: if each sample is used once per epoch,
/// replacement gains nothing (Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training",
/// VLDB 2021, MinIO). The cache lives as long as its Loader, across streams, or as its CacheStore.
struct CacheOptions {
  Cache keep = Cache::nothing;  ///< form of the samples
  /// Maximum size in bytes. nullopt: what the budget leaves after index, slabs, the reserve and the
  /// typical needs of workers and reads ahead (Plan::cache).
  std::optional<std::uint64_t> max_bytes{};
  /// Keeps the samples in a store that several loaders share, instead of a cache of this loader.
  /// The store has its own bound, so max_bytes must be nullopt.
  std::shared_ptr<CacheStore> shared = nullptr;
  /// With Cache::encoded: about so many restart intervals in each row of a kept JPEG, so that crops
  /// and patches decode faster from the second epoch on. A file is written again once, which takes
  /// about two whole decodes. 0: files are kept as they were read. A file for which there is too
  /// little memory is kept so, too.
  std::uint32_t tiles = 0;
};

/// The resolved CacheOptions.
struct CachePlan {
  Cache keep = Cache::nothing;  ///< form of the samples
  /// CacheOptions::max_bytes, or the bound of the store.
  std::optional<std::uint64_t> requested{};
  /// Maximum size, including the table; of a store, for all loaders together. 0: there is no room,
  /// and the cache stays empty.
  std::uint64_t bytes = 0;
  /// Part of `bytes`: the lookup table, 8 bytes per sample of the source.
  std::uint64_t table_bytes = 0;
  bool shared = false;      ///< whether the samples are in a CacheStore, on its books
  std::uint32_t tiles = 0;  ///< CacheOptions::tiles
  std::string note{};       ///< why `bytes` is 0 although samples are to be kept, and what helps
};

/// Counters of the cache.
struct CacheStats {
  std::uint64_t bytes = 0;  ///< current size: the account `cache`; of a store, this data set's part
  std::uint64_t samples = 0;  ///< samples in the cache now
  std::uint64_t hits = 0;     ///< drawn samples that were in the cache
  std::uint64_t misses = 0;   ///< drawn samples that were not in the cache
  std::uint64_t evicted = 0;  ///< samples that were removed because their memory was needed
  /// Hits divided by all draws.
  double hit_rate() const noexcept {
    return hits == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

namespace buffer {
class CacheShelves;
}  // namespace buffer

/// A cache that several loaders share, at once or one after the other: training and validation, or
/// a loader that is made again (CacheOptions::shared). It keeps samples for as long as it exists.
///
/// Two loaders share samples if their sources are copies of one AnySource, and if they keep the same
/// form of them: with Cache::encoded the same planes and tiles, and both annotations or none; with
/// Cache::decoded all options that decide a row are equal (shape, fit, pixels, planes,
/// annotation_bytes, limits; with window.choose also the seed), and Options::codecs has the same
/// objects. Otherwise each has samples of its own in the same memory: other sizes, other
/// parts of a data set. Samples of a source that exists no more are freed when the next loader is made.
/// As in a loader's own cache, nothing else is replaced: the first samples stay. Any thread.
class WEIR_API CacheStore {
 public:
  /// Keeps at most `max_bytes`, tables included. They are charged to the account `cache` of
  /// `ledger`, and belong to none of its loaders. As the bytes of any cache, they can be evicted
  /// when a loader on that ledger needs them. `upstream` allocates them; null: a PageMemory. Throws
  /// Error{bad_options} if `ledger` is null or `max_bytes` is 0.
  CacheStore(const std::shared_ptr<MemoryLedger>& ledger, std::uint64_t max_bytes,
             std::shared_ptr<std::pmr::memory_resource> upstream = nullptr);
  CacheStore(const CacheStore&) = delete;
  CacheStore& operator=(const CacheStore&) = delete;

  /// The bound.
  std::uint64_t max_bytes() const noexcept;
  /// What it holds for all loaders. Hits and misses are in each loader's Report, and 0 here. In a
  /// child process after fork() all is 0.
  CacheStats stats() const noexcept;

 private:
  friend struct Internals;
  std::shared_ptr<buffer::CacheShelves> shelves_;
};

}  // namespace weir
