#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <memory_resource>

#include "base/mutex.hpp"
#include "books/evictable.hpp"
#include "buffer/columns.hpp"
#include "weir/image.hpp"
#include "weir/memory.hpp"
#include "weir/rows.hpp"

namespace weir::buffer {

/// A sample as the cache keeps it.
struct KeptSample {
  std::uint64_t index = 0;
  Encoded data{};  ///< `bytes`: the encoded image, or its pixels without gaps between lines
  /// Bytes of max_sample_bytes that reading it used; of a decoded image, also the decode.
  std::uint64_t charged = 0;
  RowStatus status = RowStatus::ok;
  // Of a decoded sample.
  ImageSize size{};
  std::array<PlaneStatus, EncodedPlanes::most> plane_statuses{};
  Window window{};
};

/// Keeps samples from epoch to epoch, in segments that are charged to `cache`. The memory comes
/// from the same upstream as slabs. A kept sample is never replaced by another. When others need
/// the bytes, whole segments are evicted, the youngest first; segments in use stay. A sample is not
/// kept if its memory is refused. Thread-safe.
///
/// Lock order: growing_, or the ledger's list of caches, before mutex_ and before the leaf mutex of the
/// books. Nothing is locked under mutex_. Memory is charged, allocated and freed without it.
class SampleCache final : public books::Evictable {
  struct Entry;
  struct Segment;
  using Slot = std::atomic<Entry*>;

 public:
  /// `plan.bytes` must be above 0. `samples`: the source's number of samples. `entry`: the bytes of
  /// each entry if all are alike, otherwise 0.
  SampleCache(std::shared_ptr<books::Budget> budget, const CachePlan& plan, std::uint64_t samples,
              std::uint64_t entry, std::shared_ptr<std::pmr::memory_resource> upstream);
  /// Bytes of the entry of a sample whose parts have these bytes: the image, the annotation, then each
  /// plane.
  static std::uint64_t entry_bytes(std::span<const std::uint64_t> parts, bool decoded) noexcept;
  /// The same for a decoded sample with the full room of its annotation.
  static std::uint64_t entry_bytes(const RowForm& form, ImageSize size) noexcept;
  /// Bytes that keep `kept` of the source's `samples`, whose entries have `entry` bytes: each if they
  /// are `alike`, otherwise in the mean.
  static std::uint64_t whole_bytes(std::uint64_t samples, std::uint64_t kept, std::uint64_t entry,
                                   bool alike) noexcept;
  /// No Hold may exist.
  ~SampleCache() override;

  /// Access to one kept sample at a time, by one thread at a time. The sample's segment is not evicted
  /// meanwhile. It belongs to the first cache that it searches, and must not outlive that cache.
  class Hold {
   public:
    Hold() noexcept = default;
    ~Hold();
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;
    void release() noexcept;
    explicit operator bool() const noexcept { return entry_.load(std::memory_order_relaxed); }
    KeptSample sample() const noexcept { return view(*entry_.load(std::memory_order_relaxed)); }

   private:
    friend class SampleCache;
    SampleCache* cache_ = nullptr;
    Hold *before_ = nullptr, *next_ = nullptr;  ///< in the cache's list
    // Only its thread writes these. An eviction reads those of all Holds. So finding a sample writes to
    // no cache line that other threads write to.
    std::atomic<bool> searching_{false};
    std::atomic<const Entry*> entry_{nullptr};
  };

  /// Finds the sample for an empty `hold`. False if it is not kept.
  bool find(std::uint64_t index, Hold& hold) noexcept WEIR_EXCLUDES(mutex_);
  /// Keeps the sample if there is room and it is not kept yet. For a decoded sample, `images` gives
  /// the pixels of the image and of its planes; their lines are stored without gaps. Of
  /// `sample.data`, only the sizes of `bytes` and `planes` are then used. False if there is no room.
  bool keep(const KeptSample& sample, std::span<const ImageView> images = {}) noexcept
      WEIR_EXCLUDES(growing_, mutex_);

  Cache kind() const noexcept { return plan_.keep; }
  /// Without hits and misses: those are the loader's.
  CacheStats figures() const noexcept WEIR_EXCLUDES(mutex_);

  bool evict() noexcept override WEIR_EXCLUDES(mutex_);

 private:
  Entry* reserve(const KeptSample& sample) noexcept WEIR_EXCLUDES(growing_, mutex_);
  Entry* store(const KeptSample& sample) noexcept WEIR_REQUIRES(mutex_);
  Segment* make_segment(std::uint64_t least) noexcept WEIR_REQUIRES(growing_);
  bool make_table() noexcept WEIR_REQUIRES(growing_);
  void* allocate(std::uint64_t bytes) noexcept;
  void free(void* data, std::uint64_t bytes) noexcept;
  void unlink(Segment& segment) noexcept WEIR_REQUIRES(mutex_);
  const Entry* entry(std::uint64_t index) const noexcept;
  bool is_held(const Segment& segment) const noexcept WEIR_REQUIRES(mutex_);
  void add_hold(Hold& hold) noexcept WEIR_EXCLUDES(mutex_);
  static KeptSample view(const Entry& entry) noexcept;
  /// Bytes of a segment in a cache of `bytes`. `entry` as in the constructor.
  static std::uint64_t usual_segment(std::uint64_t bytes, std::uint64_t entry) noexcept;
  std::uint64_t entry_bytes(const KeptSample& sample) const noexcept;

  const std::shared_ptr<books::Budget> budget_;
  const CachePlan plan_;
  const std::uint64_t samples_, segment_bytes_;
  const std::shared_ptr<std::pmr::memory_resource> upstream_;

  Mutex growing_;  ///< serialises the creation of segments
  mutable Mutex mutex_;
  /// Indexed by sample. Written under the mutex, read without it by searches.
  std::atomic<Slot*> table_{nullptr};
  std::atomic<bool> evicting_{false};
  Hold* holds_ WEIR_GUARDED_BY(mutex_) = nullptr;
  Segment* youngest_ WEIR_GUARDED_BY(mutex_) = nullptr;
  CacheStats held_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::buffer
