#pragma once

#include <cstdint>
#include <string_view>

#include "weir/export.hpp"

namespace weir {

/// What is kept of samples from epoch to epoch.
enum class Cache : std::uint8_t {
  nothing,  ///< every sample is read and decoded each time
  encoded,  ///< its bytes as they were read: it is decoded again, and not read
  /// Its row as it was delivered: it is neither read nor decoded again. Only where a row is a function of
  /// its sample alone: not with Fit::random, nor with a transform.
  decoded,
};
/// The enumerator's own name: "encoded". Any thread.
WEIR_API std::string_view to_string(Cache cache) noexcept;

/// Samples kept in what the budget leaves (account `cache`), so that they are not read again. What is
/// delivered is the same with and without. The first samples that were delivered well are kept until a
/// sample or a slab wants their bytes, of this loader or of one that shares its ledger: a set that is
/// gone through once an epoch gains nothing from replacing one sample by another (Mohan et al.,
/// "Analyzing and Mitigating Data Stalls in DNN Training", VLDB 2021, MinIO). It outlasts streams and
/// goes with its Loader.
struct CacheOptions {
  Cache keep = Cache::nothing;  ///< what is kept
  /// The most, in bytes; 0: what the budget leaves beside index, slabs, the reserve and what workers and
  /// reads ahead typically take (Plan::cache).
  std::uint64_t max_bytes = 0;
};

/// What CacheOptions became.
struct CachePlan {
  Cache keep = Cache::nothing;  ///< as asked
  std::uint64_t requested = 0;  ///< CacheOptions::max_bytes
  /// The most that is ever kept, its table included; 0: there is no room, and nothing is kept.
  std::uint64_t bytes = 0;
  std::uint64_t table_bytes = 0;  ///< of them, to find samples: 8 a sample of the source
  bool may_keep_decoded = false;  ///< a row is a function of its sample alone
};

/// What became of it.
struct CacheStats {
  std::uint64_t bytes = 0;    ///< held now: the account `cache`
  std::uint64_t samples = 0;  ///< held now
  std::uint64_t hits = 0;     ///< samples drawn that were held
  std::uint64_t misses = 0;   ///< samples drawn that were not, and were read
  std::uint64_t evicted = 0;  ///< samples that gave way to others' bytes
  /// Of all draws.
  double hit_rate() const noexcept {
    return hits == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(hits + misses);
  }
};

}  // namespace weir
