#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <string>
#include <vector>

#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "buffer/sample_cache.hpp"

namespace weir::buffer {

/// What decides the bytes of a kept sample, except its index.
struct ShelfKey {
  /// The data set: the object of an AnySource, which its copies share. Another object may be at the
  /// same address later, so the control block is compared.
  std::weak_ptr<const void> source;
  std::string row;  ///< the form of the samples, and all options that decide a kept row
  std::vector<std::shared_ptr<const void>> codecs{};  ///< the user's decoders of a kept row

  friend bool operator==(const ShelfKey& a, const ShelfKey& b) noexcept {
    return !a.source.owner_before(b.source) && !b.source.owner_before(a.source) && a.row == b.row &&
           a.codecs == b.codecs;
  }
};

/// The caches of a CacheStore, one for each key, on one share of a ledger. Together they have one
/// bound. Thread-safe.
class CacheShelves {
 public:
  /// `most_bytes` must be above 0.
  CacheShelves(const std::shared_ptr<books::Ledger>& ledger, std::uint64_t most_bytes,
               std::shared_ptr<std::pmr::memory_resource> upstream);
  CacheShelves(const CacheShelves&) = delete;
  CacheShelves& operator=(const CacheShelves&) = delete;

  std::uint64_t most_bytes() const noexcept { return most_bytes_; }
  /// Whether this process is a child of fork().
  bool in_child() const noexcept { return fork_guard_.in_child(); }
  /// The cache of this key. Frees those whose source exists no more. `samples` and `typical` are
  /// those of SampleCache. Throws std::bad_alloc.
  std::shared_ptr<SampleCache> open(ShelfKey key, const CachePlan& plan, std::uint64_t samples,
                                    std::uint64_t typical) WEIR_EXCLUDES(mutex_);
  /// The sums of all caches, without hits and misses.
  CacheStats figures() const noexcept WEIR_EXCLUDES(mutex_);

 private:
  struct Shelf {
    ShelfKey key;
    std::shared_ptr<SampleCache> cache;
  };

  const ForkGuard fork_guard_;
  const std::shared_ptr<books::Budget> budget_;
  const std::uint64_t most_bytes_;
  const std::shared_ptr<std::pmr::memory_resource> upstream_;
  mutable Mutex mutex_;  ///< locked before those of a cache
  std::vector<Shelf> shelves_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::buffer
