#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/home_process.hpp"
#include "base/mutex.hpp"
#include "books/book.hpp"
#include "weir/image.hpp"

namespace weir::buffer {

/// Where the parts of a slab lie: pixels (count*H*W*C uint8), side bytes (count*side_bytes), labels,
/// indices, statuses, each padded to `alignment`.
struct SlabLayout {
  SlabLayout(Shape image, std::uint32_t count, std::size_t align,
             std::uint64_t side_bytes = 0) noexcept;
  Shape shape;
  std::uint32_t batch;
  std::size_t alignment;
  std::uint64_t side_row;                         ///< side bytes of one sample
  std::uint64_t side, labels, indices, statuses;  ///< byte offsets; pixels are at 0
  std::uint64_t bytes;                            ///< of the whole slab; saturates
};

/// One allocation for a whole batch. Its bytes are charged by the pool.
class Slab {
 public:
  books::SlabId id = 0;
  std::uint64_t sequence = 0, epoch = 0;
  std::uint32_t rows = 0;
  Clock::time_point since{};  ///< filling, ready or leased; its user's to set

  std::span<std::uint8_t> pixels(std::uint32_t first, std::uint32_t count) const noexcept;
  std::span<std::byte> side(std::uint32_t first, std::uint32_t count) const noexcept;
  std::span<std::int64_t> labels() const noexcept;
  std::span<std::uint64_t> indices() const noexcept;
  std::span<RowStatus> statuses() const noexcept;

 private:
  friend class SlabPool;
  std::byte* data_ = nullptr;
  const SlabLayout* layout_ = nullptr;
};

/// Told when the consumer lets a batch go, on its thread, before the slab is anyone else's.
class LeaseWatch {
 public:
  virtual ~LeaseWatch() = default;
  virtual void released(const Slab& slab) noexcept = 0;
};

/// All the batch memory there ever is. Slabs are made one by one, when first needed, and kept.
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
  Slab* make();
  /// Frees idle slabs until at most `most` exist. The conductor alone.
  void shrink(std::uint32_t most) noexcept;
  Slab& slab(books::SlabId id) noexcept { return slabs_[id]; }
  /// A lease ends: the slab is idle again, or freed where the loader is gone.
  void release(Slab& slab, books::Parting parting) noexcept WEIR_EXCLUDES(mutex_);
  /// Who is told of leases that end; null: nobody.
  void watch(LeaseWatch* watch) noexcept WEIR_EXCLUDES(mutex_);
  /// Frees the idle slabs; the leased ones follow when they come back.
  void retire() noexcept WEIR_EXCLUDES(mutex_);

  const SlabLayout& layout() const noexcept { return layout_; }
  books::Book& book() noexcept { return *book_; }
  const HomeProcess& home() const noexcept { return home_; }

 private:
  void deallocate(Slab& slab) noexcept;
  std::pmr::memory_resource& upstream() noexcept;

  const HomeProcess home_;
  const std::shared_ptr<books::Book> book_;
  const SlabLayout layout_;
  const std::shared_ptr<std::pmr::memory_resource> upstream_;
  std::vector<Slab> slabs_;
  std::uint32_t made_ = 0;
  Mutex mutex_;
  bool retired_ WEIR_GUARDED_BY(mutex_) = false;
  LeaseWatch* watch_ WEIR_GUARDED_BY(mutex_) = nullptr;
};

}  // namespace weir::buffer
