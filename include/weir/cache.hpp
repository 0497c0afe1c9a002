#pragma once

#include <cstdint>
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

/// A cache for samples in the memory that the budget leaves (account `cache`). It does not change
/// what is delivered. It keeps the first samples that were delivered without a fault. A sample
/// stays until the memory is needed for another sample or slab, of this loader or of another loader
/// with the same ledger. There is no replacement policy: if each sample is used once per epoch,
/// replacement gains nothing (Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training",
/// VLDB 2021, MinIO). The cache lives as long as its Loader, across streams.
struct CacheOptions {
  Cache keep = Cache::nothing;  ///< form of the samples
  /// Maximum size in bytes. 0: what the budget leaves after index, slabs, the reserve and the
  /// typical needs of workers and reads ahead (Plan::cache).
  std::uint64_t max_bytes = 0;
};

/// The resolved CacheOptions.
struct CachePlan {
  Cache keep = Cache::nothing;  ///< form of the samples
  std::uint64_t requested = 0;  ///< CacheOptions::max_bytes
  /// Maximum size, including the table. 0: the budget has no room, and the cache stays empty.
  std::uint64_t bytes = 0;
  /// Part of `bytes`: the lookup table, 8 bytes per sample of the source.
  std::uint64_t table_bytes = 0;
  bool may_keep_decoded = false;  ///< whether a row depends on its sample alone
};

/// Counters of the cache.
struct CacheStats {
  std::uint64_t bytes = 0;    ///< current size: the account `cache`
  std::uint64_t samples = 0;  ///< samples in the cache now
  std::uint64_t hits = 0;     ///< drawn samples that were in the cache
  std::uint64_t misses = 0;   ///< drawn samples that were not in the cache
  std::uint64_t evicted = 0;  ///< samples that were removed because their memory was needed
  /// Hits divided by all draws.
  double hit_rate() const noexcept {
    return hits == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

}  // namespace weir
