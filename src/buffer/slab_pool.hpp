#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

#include "base/fork_guard.hpp"
#include "base/grown.hpp"
#include "base/mutex.hpp"
#include "books/book.hpp"
#include "buffer/lease_watch.hpp"
#include "buffer/slab.hpp"
#include "weir/ledger.hpp"

namespace weir::buffer {

/// Owns all memory of batches. A slab is allocated when it is first needed, and then kept. If sizes
/// differ, each slab is allocated for one batch and kept for batches that it suits. A lease can
/// outlive its loader, so the pool also owns the share of the books and the upstream.
///   make            only the conductor
///   release         any thread
///   retire          once, in the loader's destructor
class SlabPool {
 public:
  /// `upstream` null: uses page_memory(). `vary`: each slab has a layout of its own, always if sizes
  /// differ.
  SlabPool(std::shared_ptr<books::Book> book, const SlabLayout& layout,
           std::shared_ptr<std::pmr::memory_resource> upstream,
           std::vector<std::string> plane_names = {}, bool vary = false);
  ~SlabPool();
  /// Bytes of the records of one slab, here and in the books.
  static constexpr std::uint64_t record_bytes(std::uint32_t batch, bool vary) noexcept {
    return sizeof(Slab) + (vary ? sizeof(SlabLayout) : 0) + books::Book::record_bytes(batch);
  }
  SlabPool(const SlabPool&) = delete;
  SlabPool& operator=(const SlabPool&) = delete;

  /// Charges, then allocates. If sizes differ, frees the idle slabs first, because none of them
  /// suited. Null if the budget has no room now or every slab exists. Passes on exceptions of the
  /// upstream; nothing stays charged then. `bytes`: layout().bytes, unless sizes differ.
  Slab* make(std::uint64_t bytes);
  void free_idle() noexcept { shrink(0); }
  /// If slabs have their own layouts. If sizes differ, writes indices, extents, sizes (equal to the
  /// extents) and offsets. `batch` must fit the slab.
  void lay_out(Slab& slab, const BatchLayout& batch) noexcept;

  /// Frees idle slabs until at most `most` slabs exist. Only the conductor.
  void shrink(std::uint32_t most) noexcept;
  Slab& slab(books::SlabId id) noexcept { return slabs_[id]; }
  /// Ends a lease: the slab becomes idle, or is freed if the loader is gone.
  void release(Slab& slab, books::Parting parting) noexcept WEIR_EXCLUDES(mutex_);
  /// Ends the lease once look() finds that `end` is reached. False if the loader is gone: then
  /// nothing calls look(); use drain().
  [[nodiscard]] bool release_when(Slab& slab, std::unique_ptr<LeaseEnd> end) noexcept
      WEIR_EXCLUDES(mutex_);
  /// Releases the slabs whose ends are reached or throw. Returns the first exception. Thread-safe;
  /// returns null at once while another thread is in look().
  std::exception_ptr look() noexcept WEIR_EXCLUDES(mutex_);
  /// The number of leases that wait for their LeaseEnd.
  std::uint32_t ending() const noexcept { return ending_count_.load(); }
  /// For a retired pool. Waits until no lease waits for its LeaseEnd, for at most one second. If
  /// any is left, the pool is never freed, because a device may still read its memory.
  static void drain(std::shared_ptr<SlabPool> pool) noexcept;
  /// Sets the watch that is notified of ended leases; null: none.
  void watch(LeaseWatch* watch) noexcept WEIR_EXCLUDES(mutex_);
  /// Frees the idle slabs now and each leased slab when it is released.
  void retire() noexcept WEIR_EXCLUDES(mutex_);

  const SlabLayout& layout() const noexcept { return layout_; }
  /// Of all slabs, by column. Any thread.
  SlabBytes bytes() const noexcept WEIR_EXCLUDES(mutex_);
  const std::vector<std::string>& plane_names() const noexcept { return plane_names_; }
  books::Book& book() noexcept { return *book_; }
  const ForkGuard& fork_guard() const noexcept { return fork_guard_; }

 private:
  /// Adds records for more slabs.
  void grow();
  /// A slab without memory.
  Slab& unused() noexcept;
  void deallocate(Slab& slab) noexcept WEIR_EXCLUDES(mutex_);
  /// Adds what the slab holds to bytes_, or subtracts it.
  void count(const Slab& slab, bool add) noexcept WEIR_EXCLUDES(mutex_);
  std::pmr::memory_resource& upstream() noexcept;

  const ForkGuard fork_guard_;
  const std::shared_ptr<books::Book> book_;
  const SlabLayout layout_;
  const bool vary_;
  const std::vector<std::string> plane_names_;
  const std::shared_ptr<std::pmr::memory_resource> upstream_;
  Grown<Slab> slabs_;
  Grown<SlabLayout> layouts_;  ///< indexed by slab; only with vary_
  std::uint32_t made_ = 0;
  std::uint32_t next_unused_ = 0;  ///< where the search for one begins
  mutable Mutex mutex_;
  SlabBytes bytes_ WEIR_GUARDED_BY(mutex_);
  bool retired_ WEIR_GUARDED_BY(mutex_) = false;
  LeaseWatch* watch_ WEIR_GUARDED_BY(mutex_) = nullptr;
  bool looking_ WEIR_GUARDED_BY(mutex_) = false;
  // The leases that wait for their LeaseEnd, oldest first.
  Slab* ending_ WEIR_GUARDED_BY(mutex_) = nullptr;
  Slab** ending_end_ WEIR_GUARDED_BY(mutex_) = &ending_;
  std::atomic<std::uint32_t> ending_count_{0};
  std::shared_ptr<SlabPool> itself_;  ///< set if the pool is never freed
  SlabPool* next_kept_ = nullptr;
};

}  // namespace weir::buffer
