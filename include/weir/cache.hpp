#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>

#include "weir/export.hpp"

namespace weir {

/// Which form of a sample is kept from epoch to epoch.
enum class Cache : std::uint8_t {
  nothing,  ///< every sample is read and decoded each time
  encoded,  ///< the encoded bytes: a hit skips reading, not decoding
  /// The delivered row: a hit skips reading and decoding. Allowed only if a row depends on its
  /// sample alone: not with Fit::random and not with a transform.
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
/// form of them: with Cache::encoded the same planes and tiles; with Cache::decoded all options that
/// decide a row are equal (shape, fit, pixels, planes, annotation_bytes, limits), and Options::codecs
/// has the same objects. Otherwise each has samples of its own in the same memory: other sizes, other
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
  ~CacheStore();
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
