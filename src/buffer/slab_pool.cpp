#include "buffer/slab_pool.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <tuple>
#include <utility>

#include "base/checked.hpp"
#include "buffer/page_memory.hpp"

namespace weir::buffer {
namespace {

constexpr std::chrono::seconds longest_drain{1};

/// Pools whose memory a device may still read. They stay reachable, so leak checkers do not report
/// them.
constinit std::atomic<SlabPool*> kept_pools{nullptr};

}  // namespace

SlabPool::SlabPool(std::shared_ptr<books::Book> book, const SlabLayout& layout,
                   std::shared_ptr<std::pmr::memory_resource> upstream,
                   std::vector<std::string> plane_names, bool vary)
    : book_(std::move(book)),
      layout_(layout),
      vary_(vary || layout.sizes_differ()),
      plane_names_(std::move(plane_names)),
      upstream_(std::move(upstream)),
      slabs_(book_->limits().slabs),
      layouts_(book_->limits().slabs) {
  grow();
}

SlabPool::~SlabPool() { retire(); }

void SlabPool::grow() {
  const auto had = slabs_.capacity();
  book_->reserve_slab(had);
  auto piece = slabs_.next_piece();
  if (vary_) {
    Grown<SlabLayout>::Piece layouts;
    layouts.resize(piece.size(), layout_);
    layouts_.add(std::move(layouts));
  }
  for (std::uint32_t i = 0; i < piece.size(); ++i) {
    piece[i].id = had + i;
    piece[i].layout_ = vary_ ? &layouts_[had + i] : &layout_;
  }
  slabs_.add(std::move(piece));
  next_unused_ = had;
}

Slab& SlabPool::unused() noexcept {
  while (slabs_[next_unused_].data_ != nullptr)
    next_unused_ = (next_unused_ + 1) % slabs_.capacity();
  return slabs_[next_unused_];
}

Slab* SlabPool::make(std::uint64_t bytes) {
  if (layout_.sizes_differ()) free_idle();
  if (made_ == book_->limits().slabs || !book_->try_charge_slab(bytes)) return nullptr;
  try {
    if (made_ == slabs_.capacity()) grow();
    auto& slab = unused();
    slab.data_ = static_cast<std::byte*>(allocate_from(upstream(), bytes, layout_.alignment));
    slab.bytes_ = bytes;
    if (vary_) layouts_[slab.id] = {};
    count(slab, true);
    book_->add_slab(slab.id, bytes);
    ++made_;
    return &slab;
  } catch (...) {
    book_->discharge(Account::idle, {bytes, false});
    throw;
  }
}

void SlabPool::lay_out(Slab& slab, const BatchLayout& batch) noexcept {
  count(slab, false);
  layouts_[slab.id] = batch.layout;
  count(slab, true);
  std::ranges::copy(batch.indices, slab.indices().begin());
  std::ranges::copy(batch.extents, slab.extents().begin());
  std::ranges::copy(batch.extents, slab.sizes().begin());
  const auto& [form, mode, shape] =
      std::tie(batch.layout.form, batch.layout.mode, batch.layout.shape);
  for (std::size_t i = 0; i < form.images.size(); ++i) {
    std::uint64_t at = 0;
    for (std::size_t row = 0; row < batch.extents.size(); ++row) {
      slab.offsets(i)[row] = at;
      at += form.images[i].bytes_in(mode == Sizes::ragged ? batch.extents[row] : shape);
    }
  }
}

void SlabPool::shrink(std::uint32_t most) noexcept {
  for (; made_ > most; --made_) {
    const auto id = book_->idle_slab();
    if (!id) return;
    deallocate(slabs_[*id]);
    book_->remove_slab(*id);
  }
}

void SlabPool::release(Slab& slab, books::Parting parting) noexcept {
  {
    Lock lock(mutex_);
    if (watch_) watch_->released(slab);
    slab.ending = false;
    if (!retired_) return book_->release(slab.id, parting, false);
  }
  // The mutex is not held here, because the upstream may have locks of its own. Nothing takes a slab
  // of a retired pool.
  deallocate(slab);
  book_->release(slab.id, parting, true);
}

bool SlabPool::release_when(Slab& slab, std::unique_ptr<LeaseEnd> end) noexcept {
  bool gone = false;
  {
    Lock lock(mutex_);
    if (watch_) watch_->handed_over(slab);
    slab.ending = true;
    slab.lease_end = std::move(end);
    slab.next_ending_ = nullptr;
    *ending_end_ = &slab;
    ending_end_ = &slab.next_ending_;
    ++ending_count_;
    gone = retired_;
  }
  book_->wake();
  return !gone;
}

std::exception_ptr SlabPool::look() noexcept {
  if (ending() == 0) return nullptr;
  Slab* left = nullptr;
  {
    Lock lock(mutex_);
    if (std::exchange(looking_, true)) return nullptr;
    left = std::exchange(ending_, nullptr);
    ending_end_ = &ending_;
  }
  std::exception_ptr failure;
  Slab* kept = nullptr;
  Slab** kept_end = &kept;
  while (left) {
    auto& slab = *std::exchange(left, left->next_ending_);
    // The mutex is not held here, because reached() may call a driver that has its own locks.
    try {
      if (slab.lease_end && !slab.lease_end->reached()) {
        slab.next_ending_ = nullptr;
        *kept_end = &slab;
        kept_end = &slab.next_ending_;
        continue;
      }
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    release(slab, books::Parting::consumed);
    --ending_count_;
  }
  Lock lock(mutex_);
  // Those that were added meanwhile are younger.
  if (kept) {
    *kept_end = ending_;
    if (!ending_) ending_end_ = kept_end;
    ending_ = kept;
  }
  looking_ = false;
  return failure;
}

void SlabPool::drain(std::shared_ptr<SlabPool> pool) noexcept {
  const auto deadline = Clock::now() + longest_drain;
  for (std::chrono::microseconds pause{20}; pool->ending() > 0;
       pause = std::min(2 * pause, std::chrono::microseconds(1000))) {
    static_cast<void>(pool->look());
    if (pool->ending() == 0) return;
    if (Clock::now() > deadline) break;
    std::this_thread::sleep_for(pause);
  }
  if (pool->ending() == 0) return;
  auto& kept = *pool;
  {
    Lock lock(kept.mutex_);
    if (kept.itself_) return;
    kept.itself_ = std::move(pool);
  }
  kept.next_kept_ = kept_pools.exchange(&kept);
}

void SlabPool::watch(LeaseWatch* watch) noexcept {
  Lock lock(mutex_);
  watch_ = watch;
}

void SlabPool::retire() noexcept {
  {
    Lock lock(mutex_);
    retired_ = true;
  }
  free_idle();
}

void SlabPool::count(const Slab& slab, bool add) noexcept {
  // Slabs of the largest size have room for it, whatever their rows are now.
  const auto& layout = layout_.sizes_differ() ? slab.layout() : layout_;
  auto rest = slab.bytes();
  Lock lock(mutex_);
  const auto note = [&](std::uint64_t& sum, std::uint64_t bytes) {
    sum += add ? bytes : 0 - bytes;
    rest -= bytes;
  };
  for (std::size_t i = 0; i < layout.form.images.size(); ++i)
    note(bytes_.images[i], layout.of_image(i, ImageColumnId::pixels).bytes);
  note(bytes_.annotation, layout[ColumnId::annotations].bytes);
  note(bytes_.window, layout[ColumnId::windows].bytes);
  note(bytes_.rest, rest);
}

SlabBytes SlabPool::bytes() const noexcept {
  Lock lock(mutex_);
  return bytes_;
}

void SlabPool::deallocate(Slab& slab) noexcept {
  count(slab, false);
  upstream().deallocate(slab.data_, static_cast<std::size_t>(slab.bytes_), layout_.alignment);
  slab.data_ = nullptr;
}

std::pmr::memory_resource& SlabPool::upstream() noexcept {
  return upstream_ ? *upstream_ : page_memory();
}

}  // namespace weir::buffer
