#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>

#include "base/mutex.hpp"
#include "books/book.hpp"
#include "weir/cache.hpp"
#include "weir/image.hpp"
#include "weir/sizes.hpp"

namespace weir::buffer {

/// A sample as it is kept.
struct KeptSample {
  std::uint64_t index = 0;
  Encoded data{};             ///< `bytes`: encoded, or the image's pixels without gaps
  std::uint64_t charged = 0;  ///< what reading it took of max_sample_bytes
  RowStatus status = RowStatus::ok;
  ImageSize size{};  ///< of an image
};

/// Samples kept from epoch to epoch, in segments that are charged to `cache` and come from where slabs
/// do. Never replaces a sample by another: what came first stays until its bytes are wanted elsewhere;
/// then whole segments go, the youngest first, but for those that somebody reads. What gets no memory
/// is not kept. Any thread.
///
/// Lock order: growing_, then mutex_, then the leaf mutex of the books. Memory is allocated and freed
/// without mutex_.
class SampleCache final : public books::Evictable {
  struct Entry;
  struct Segment;

 public:
  /// `plan.bytes` > 0. `samples` in the source; `typical` bytes of what is kept of one, 0: not known.
  SampleCache(std::shared_ptr<books::Book> book, const CachePlan& plan, std::uint64_t samples,
              std::uint64_t typical, std::shared_ptr<std::pmr::memory_resource> upstream);
  /// Nobody holds a sample any more.
  ~SampleCache() override;

  /// A sample that is there, and stays while this lives.
  class Hold {
   public:
    Hold() noexcept = default;
    void release() noexcept { entry_.reset(); }
    explicit operator bool() const noexcept { return entry_ != nullptr; }
    KeptSample sample() const noexcept { return view(*entry_); }

   private:
    friend class SampleCache;
    struct Release {
      SampleCache* cache;
      void operator()(const Entry* entry) const noexcept { cache->release(*entry); }
    };
    Hold(SampleCache& cache, const Entry& entry) noexcept : entry_(&entry, Release{&cache}) {}
    std::unique_ptr<const Entry, Release> entry_{nullptr, Release{}};
  };

  /// Empty where it is not kept.
  Hold find(std::uint64_t index) noexcept WEIR_EXCLUDES(mutex_);
  /// Keeps it where there is room and it is not kept already. Of an image its lines are kept, one behind
  /// the other; then `sample.data.bytes` says how many bytes they are, and no more.
  void keep(const KeptSample& sample, ImageView image = {}) noexcept
      WEIR_EXCLUDES(growing_, mutex_);

  void count(bool hit) noexcept { ++(hit ? hits_ : misses_); }
  Cache kind() const noexcept { return plan_.keep; }
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
  void release(const Entry& entry) noexcept;
  static KeptSample view(const Entry& entry) noexcept;

  const std::shared_ptr<books::Book> book_;
  const CachePlan plan_;
  const std::uint64_t samples_, segment_bytes_;
  const std::shared_ptr<std::pmr::memory_resource> upstream_;

  Mutex growing_;  ///< one segment is made at a time
  mutable Mutex mutex_;
  Entry** table_ WEIR_GUARDED_BY(mutex_) = nullptr;  ///< by sample
  Segment* youngest_ WEIR_GUARDED_BY(mutex_) = nullptr;
  CacheStats held_ WEIR_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> hits_{0}, misses_{0};
};

}  // namespace weir::buffer
