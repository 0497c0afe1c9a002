#include "buffer/cache_shelves.hpp"

#include <algorithm>
#include <utility>

#include "base/internals.hpp"
#include "base/text.hpp"
#include "weir/ledger.hpp"

namespace weir::buffer {

CacheShelves::CacheShelves(const std::shared_ptr<books::Ledger>& ledger, std::uint64_t most_bytes,
                           std::shared_ptr<std::pmr::memory_resource> upstream)
    : budget_(std::make_shared<books::Budget>(ledger)),
      most_bytes_(most_bytes),
      upstream_(std::move(upstream)) {}

std::shared_ptr<SampleCache> CacheShelves::open(ShelfKey key, const CachePlan& plan,
                                                std::uint64_t samples, std::uint64_t entry) {
  Lock lock(mutex_);
  std::erase_if(shelves_, [](const Shelf& shelf) {
    return shelf.key.source.expired() && shelf.cache.use_count() == 1;
  });
  const auto found = std::ranges::find(shelves_, key, &Shelf::key);
  if (found != shelves_.end()) return found->cache;
  auto cache = std::make_shared<SampleCache>(budget_, plan, samples, entry, upstream_);
  shelves_.push_back({std::move(key), cache});
  return cache;
}

CacheStats CacheShelves::figures() const noexcept {
  Lock lock(mutex_);
  CacheStats all;
  for (const auto& shelf : shelves_) {
    const auto one = shelf.cache->figures();
    all.bytes += one.bytes;
    all.samples += one.samples;
    all.evicted += one.evicted;
  }
  return all;
}

}  // namespace weir::buffer

namespace weir {
namespace {

std::shared_ptr<buffer::CacheShelves> make_shelves(
    const std::shared_ptr<MemoryLedger>& ledger, std::uint64_t max_bytes,
    std::shared_ptr<std::pmr::memory_resource> upstream) {
  if (!ledger) refuse(Stage::wait, "CacheStore: ledger is null; the store needs one for its bytes");
  if (max_bytes == 0)
    refuse(Stage::wait, "CacheStore: max_bytes = 0: must be above 0, the bound of the store");
  return make_kept_in_child<buffer::CacheShelves>(Internals::books(*ledger), max_bytes,
                                                  std::move(upstream));
}

}  // namespace

CacheStore::CacheStore(const std::shared_ptr<MemoryLedger>& ledger, std::uint64_t max_bytes,
                       std::shared_ptr<std::pmr::memory_resource> upstream)
    : shelves_(make_shelves(ledger, max_bytes, std::move(upstream))) {}

std::uint64_t CacheStore::max_bytes() const noexcept { return shelves_->most_bytes(); }

CacheStats CacheStore::stats() const noexcept {
  return shelves_->in_child() ? CacheStats{} : shelves_->figures();
}

}  // namespace weir
