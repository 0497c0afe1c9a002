#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/fork_guard.hpp"
#include "base/mutex.hpp"
#include "books/book.hpp"
#include "weir/image.hpp"
#include "weir/lease_end.hpp"
#include "weir/sizes.hpp"

namespace weir::buffer {

/// Where the parts of a slab lie: pixels (count*H*W*C uint8), side bytes (count*side_bytes), labels,
/// indices, statuses, each padded to `alignment`. Where sizes differ, behind them: sizes, places, offsets.
struct SlabLayout {
  SlabLayout(Shape image, std::uint32_t count, std::size_t align,
             std::uint64_t side_bytes = 0) noexcept;
  /// Of `count` rows in `pixel_bytes` bytes.
  SlabLayout(Sizes sizes_mode, Shape image, std::uint64_t pixel_bytes, std::uint32_t count,
             std::size_t align, std::uint64_t side_bytes) noexcept;
  /// Padded: rows of `block`. Ragged: `pixels` bytes of rows in all, no block.
  static SlabLayout padded(ImageSize block, std::uint32_t count, std::size_t align,
                           std::uint64_t side_bytes = 0) noexcept;
  static SlabLayout ragged(std::uint64_t pixels, std::uint32_t count, std::size_t align,
                           std::uint64_t side_bytes = 0) noexcept;

  Sizes mode;

  Shape shape;  ///< of every row; ragged: 0 x 0
  std::uint32_t batch;
  std::size_t alignment;
  std::uint64_t side_row;                             ///< side bytes of one sample
  std::uint64_t pixels;                               ///< bytes of them
  std::uint64_t side, labels, indices, statuses;      ///< byte offsets; pixels are at 0
  std::uint64_t sizes = 0, extents = 0, offsets = 0;  ///< likewise, where sizes differ
  std::uint64_t bytes;                                ///< of the whole slab; saturates

  bool sizes_differ() const noexcept { return mode != Sizes::fixed; }
};

/// What a slab is to hold where sizes differ.
struct BatchLayout {
  SlabLayout layout{Shape{}, 0, 1};
  std::vector<std::uint64_t> indices;  ///< of the source, by row
  std::vector<ImageSize> extents;      ///< room for each image
  std::vector<std::uint64_t> offsets;  ///< of each image in the pixels
};

/// One allocation for a whole batch. Its bytes are charged by the pool.
class Slab {
 public:
  books::SlabId id = 0;
  std::uint64_t sequence = 0, epoch = 0;
  std::uint32_t rows = 0;
  Clock::time_point since{};  ///< filling, ready or leased; its user's to set
  /// Of the lease that ends by it, or of the last one that did.
  std::unique_ptr<LeaseEnd> lease_end;

  /// Of rows that follow one another, each where sizes differ with all the room it has. `first` is a row.
  std::span<std::uint8_t> pixels(std::uint32_t first, std::uint32_t count) const noexcept;
  std::span<std::byte> side(std::uint32_t first, std::uint32_t count) const noexcept;
  std::span<std::int64_t> labels() const noexcept { return part<std::int64_t>(layout_->labels); }
  std::span<std::uint64_t> indices() const noexcept {
    return part<std::uint64_t>(layout_->indices);
  }
  std::span<RowStatus> statuses() const noexcept { return part<RowStatus>(layout_->statuses); }
  // Where sizes differ; empty where they do not.
  std::span<ImageSize> sizes() const noexcept { return own<ImageSize>(layout_->sizes); }
  /// The room each image has.
  std::span<ImageSize> extents() const noexcept { return own<ImageSize>(layout_->extents); }
  /// Where each begins in the pixels.
  std::span<std::uint64_t> offsets() const noexcept { return own<std::uint64_t>(layout_->offsets); }
  /// The image of a row, at its own size.
  MutableImageView image(std::uint32_t row) const noexcept;

  const SlabLayout& layout() const noexcept { return *layout_; }
  /// Allocated and charged: layout().bytes, and where sizes differ what it had room for more.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  friend class SlabPool;
  template <class T>
  std::span<T> part(std::uint64_t offset) const noexcept {
    return {reinterpret_cast<T*>(data_ + offset), rows};
  }
  template <class T>
  std::span<T> own(std::uint64_t offset) const noexcept {
    return layout_->sizes_differ() ? part<T>(offset) : std::span<T>();
  }
  std::byte* data_ = nullptr;
  const SlabLayout* layout_ = nullptr;
  std::uint64_t bytes_ = 0;
};

/// Told when the consumer lets a batch go, on its thread, before the slab is anyone else's.
class LeaseWatch {
 public:
  virtual ~LeaseWatch() = default;
  virtual void released(const Slab& slab) noexcept = 0;
};

/// All the batch memory there ever is. Slabs are made one by one, when first needed, and kept; where
/// sizes differ, each is made for a batch, and kept for those that it suits.
/// Owns what a lease needs to outlive its loader: the slabs, the page of the books, the upstream.
///   make            the conductor alone
///   release         any thread
///   retire          once, when the loader dies
class SlabPool {
 public:
  /// `upstream` null: page_memory().
  SlabPool(std::shared_ptr<books::Book> book, const SlabLayout& layout,
           std::shared_ptr<std::pmr::memory_resource> upstream);
  ~SlabPool();
  SlabPool(const SlabPool&) = delete;
  SlabPool& operator=(const SlabPool&) = delete;

  /// Charge, then allocate. Null where the budget has no room now or every slab exists. Throws
  /// what the upstream throws, with nothing charged.
  Slab* make() { return allocate(layout_.bytes); }
  // -- where sizes differ; the conductor alone
  /// Whether a slab of `has` bytes suits a batch that needs `bytes`: it holds them, and an eighth more at
  /// the most.
  static bool suits(std::uint64_t has, std::uint64_t bytes) noexcept {
    return bytes <= has && has - bytes <= bytes / 8;
  }
  /// The smallest idle slab that suits, of `most` bytes at the most.
  Slab* fitting(std::uint64_t bytes, std::uint64_t most) noexcept;
  /// As make(), for a batch of `bytes`. Idle slabs go before it: they did not suit.
  Slab* make(std::uint64_t bytes);
  void free_idle() noexcept { shrink(0); }
  /// Writes indices, places, sizes (as the places) and offsets. `batch` fits the slab.
  void lay_out(Slab& slab, const BatchLayout& batch) noexcept;

  /// Frees idle slabs until at most `most` exist. The conductor alone.
  void shrink(std::uint32_t most) noexcept;
  Slab& slab(books::SlabId id) noexcept { return slabs_[id]; }
  /// A lease ends: the slab is idle again, or freed where the loader is gone.
  void release(Slab& slab, books::Parting parting) noexcept WEIR_EXCLUDES(mutex_);
  /// The lease ends once `end` is reached, which look() finds. False where the loader is gone: nobody looks
  /// then, see drain().
  [[nodiscard]] bool release_when(Slab& slab, std::unique_ptr<LeaseEnd> end) noexcept
      WEIR_EXCLUDES(mutex_);
  /// Releases the slabs whose ends are reached, and those whose ends throw: the first such exception. Any
  /// thread; where another one looks already, nothing.
  std::exception_ptr look() noexcept WEIR_EXCLUDES(mutex_);
  /// Leases that end by a LeaseEnd and are still out.
  std::uint32_t ending() const noexcept { return ending_count_.load(); }
  /// Of a retired pool: waits until no lease is ending, or for a second. Then the pool stays for ever, since
  /// its memory may still be read.
  static void drain(std::shared_ptr<SlabPool> pool) noexcept;
  /// Who is told of leases that end; null: nobody.
  void watch(LeaseWatch* watch) noexcept WEIR_EXCLUDES(mutex_);
  /// Frees the idle slabs; the leased ones follow when they come back.
  void retire() noexcept WEIR_EXCLUDES(mutex_);

  const SlabLayout& layout() const noexcept { return layout_; }
  books::Book& book() noexcept { return *book_; }
  const ForkGuard& fork_guard() const noexcept { return fork_guard_; }

 private:
  void release_locked(Slab& slab, books::Parting parting) noexcept WEIR_REQUIRES(mutex_);
  Slab* allocate(std::uint64_t bytes);
  void deallocate(Slab& slab) noexcept;
  std::pmr::memory_resource& upstream() noexcept;

  const ForkGuard fork_guard_;
  const std::shared_ptr<books::Book> book_;
  const SlabLayout layout_;
  const std::shared_ptr<std::pmr::memory_resource> upstream_;
  std::vector<Slab> slabs_;
  std::vector<SlabLayout> layouts_;  ///< by slab, where sizes differ
  std::uint32_t made_ = 0;
  Mutex mutex_;
  bool retired_ WEIR_GUARDED_BY(mutex_) = false;
  LeaseWatch* watch_ WEIR_GUARDED_BY(mutex_) = nullptr;
  bool looking_ WEIR_GUARDED_BY(mutex_) = false;
  std::vector<books::SlabId> ending_ WEIR_GUARDED_BY(mutex_);
  std::vector<books::SlabId> looked_at_;  ///< of the thread that looks
  std::atomic<std::uint32_t> ending_count_{0};
  std::shared_ptr<SlabPool> itself_;  ///< where it stays for ever
  SlabPool* next_kept_ = nullptr;
};

}  // namespace weir::buffer
