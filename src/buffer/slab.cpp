#include "buffer/slab.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/checked.hpp"
#include "buffer/page_memory.hpp"

namespace weir::buffer {
namespace {

constexpr std::chrono::seconds longest_drain{1};

/// Pools whose memory a device may still read. They stay reachable, so leak checkers do not report
/// them.
constinit std::atomic<SlabPool*> kept_pools{nullptr};

}  // namespace

SlabLayout::SlabLayout(Shape image, std::uint32_t count, std::size_t align,
                       std::uint64_t side_bytes) noexcept
    : SlabLayout(Sizes::fixed, image, mul_sat(count, image.values()), count, align, side_bytes) {}

SlabLayout::SlabLayout(Sizes sizes_mode, Shape image, std::uint64_t pixel_bytes,
                       std::uint32_t count, std::size_t align, std::uint64_t side_bytes) noexcept
    : mode(sizes_mode),
      shape(image),
      batch(count),
      alignment(align),
      side_row(side_bytes),
      pixels(pixel_bytes) {
  side = round_up(pixel_bytes, align);
  labels = add_sat(side, round_up(mul_sat(count, side_bytes), align));
  indices = add_sat(labels, round_up(count * sizeof(std::int64_t), align));
  statuses = add_sat(indices, round_up(count * sizeof(std::uint64_t), align));
  bytes = add_sat(statuses, round_up(count * sizeof(RowStatus), align));
  if (!sizes_differ()) return;
  sizes = bytes;
  extents = add_sat(sizes, round_up(batch * sizeof(ImageSize), alignment));
  offsets = add_sat(extents, round_up(batch * sizeof(ImageSize), alignment));
  bytes = add_sat(offsets, round_up(batch * sizeof(std::uint64_t), alignment));
}

SlabLayout SlabLayout::padded(ImageSize block, std::uint32_t count, std::size_t align,
                              std::uint64_t side_bytes) noexcept {
  return {
      Sizes::padded, {block.height, block.width, 3}, mul_sat(count, block.bytes()), count, align,
      side_bytes};
}

SlabLayout SlabLayout::ragged(std::uint64_t pixels, std::uint32_t count, std::size_t align,
                              std::uint64_t side_bytes) noexcept {
  return {Sizes::ragged, {0, 0, 3}, pixels, count, align, side_bytes};
}

std::span<std::uint8_t> Slab::pixels(std::uint32_t first, std::uint32_t count) const noexcept {
  if (layout_->mode == Sizes::ragged) {
    const auto at = offsets();
    const auto begin = at[first];
    const auto end = first + count < rows ? at[first + count] : layout_->pixels;
    return {reinterpret_cast<std::uint8_t*>(data_) + begin, static_cast<std::size_t>(end - begin)};
  }
  const auto image = static_cast<std::size_t>(layout_->shape.values());
  return {reinterpret_cast<std::uint8_t*>(data_) + first * image, count * image};
}

std::span<std::byte> Slab::side(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto row = static_cast<std::size_t>(layout_->side_row);
  return {data_ + layout_->side + first * row, count * row};
}

MutableImageView Slab::image(std::uint32_t row) const noexcept {
  const auto data = pixels(row, 1).data();
  const auto& block = layout_->shape;
  if (!layout_->sizes_differ()) return {data, block, std::size_t{block.width} * block.channels};
  const auto [height, width] = sizes()[row];
  const auto stride =
      std::size_t{layout_->mode == Sizes::ragged ? width : block.width} * block.channels;
  return {data, {height, width, block.channels}, stride};
}

SlabPool::SlabPool(std::shared_ptr<books::Book> book, const SlabLayout& layout,
                   std::shared_ptr<std::pmr::memory_resource> upstream)
    : book_(std::move(book)),
      layout_(layout),
      upstream_(std::move(upstream)),
      slabs_(book_->terms().slabs) {
  for (std::uint32_t id = 0; id < slabs_.size(); ++id) {
    slabs_[id].id = id;
    slabs_[id].layout_ = &layout_;
  }
  ending_.reserve(slabs_.size());
  looked_at_.reserve(slabs_.size());
  if (!layout_.sizes_differ()) return;
  layouts_.assign(slabs_.size(), layout_);
  for (auto& slab : slabs_) slab.layout_ = &layouts_[slab.id];
}

SlabPool::~SlabPool() { retire(); }

Slab* SlabPool::allocate(std::uint64_t bytes) {
  if (made_ == slabs_.size() || !book_->try_charge_slab(bytes)) return nullptr;
  Slab& slab = *std::ranges::find(slabs_, nullptr, &Slab::data_);
  try {
    slab.data_ = static_cast<std::byte*>(allocate_from(upstream(), bytes, layout_.alignment));
  } catch (...) {
    book_->discharge(Account::idle, {bytes, false});
    throw;
  }
  slab.bytes_ = bytes;
  book_->add_slab(slab.id, bytes);
  ++made_;
  return &slab;
}

Slab* SlabPool::fitting(std::uint64_t bytes, std::uint64_t most) noexcept {
  Slab* best = nullptr;
  for (auto& slab : slabs_) {
    const bool better = !best || slab.bytes_ < best->bytes_;
    if (slab.data_ != nullptr && better && slab.bytes_ <= most && suits(slab.bytes_, bytes) &&
        book_->state(slab.id) == books::SlabState::idle)
      best = &slab;
  }
  return best;
}

Slab* SlabPool::make(std::uint64_t bytes) {
  free_idle();
  return allocate(bytes);
}

void SlabPool::lay_out(Slab& slab, const BatchLayout& batch) noexcept {
  layouts_[slab.id] = batch.layout;
  std::ranges::copy(batch.indices, slab.indices().begin());
  std::ranges::copy(batch.extents, slab.extents().begin());
  std::ranges::copy(batch.extents, slab.sizes().begin());
  std::ranges::copy(batch.offsets, slab.offsets().begin());
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
  Lock lock(mutex_);
  release_locked(slab, parting);
}

void SlabPool::release_locked(Slab& slab, books::Parting parting) noexcept {
  if (watch_) watch_->released(slab);
  if (retired_) deallocate(slab);
  book_->release(slab.id, parting, retired_);
}

bool SlabPool::release_when(Slab& slab, std::unique_ptr<LeaseEnd> end) noexcept {
  bool gone = false;
  {
    Lock lock(mutex_);
    slab.lease_end = std::move(end);
    ending_.push_back(slab.id);
    ++ending_count_;
    gone = retired_;
  }
  book_->wake();
  return !gone;
}

std::exception_ptr SlabPool::look() noexcept {
  if (ending() == 0) return nullptr;
  {
    Lock lock(mutex_);
    if (std::exchange(looking_, true)) return nullptr;
    looked_at_ = ending_;
  }
  std::exception_ptr failure;
  for (const auto id : looked_at_) {
    auto& slab = slabs_[id];
    // The mutex is not held here, because reached() may call a driver that has its own locks.
    try {
      if (!slab.lease_end->reached()) continue;
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
    Lock lock(mutex_);
    std::erase(ending_, id);
    release_locked(slab, books::Parting::consumed);
    --ending_count_;
  }
  Lock lock(mutex_);
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
  Lock lock(mutex_);
  retired_ = true;
  while (const auto id = book_->idle_slab()) {
    deallocate(slabs_[*id]);
    book_->remove_slab(*id);
  }
}

void SlabPool::deallocate(Slab& slab) noexcept {
  upstream().deallocate(slab.data_, static_cast<std::size_t>(slab.bytes_), layout_.alignment);
  slab.data_ = nullptr;
}

std::pmr::memory_resource& SlabPool::upstream() noexcept {
  return upstream_ ? *upstream_ : page_memory();
}

}  // namespace weir::buffer
