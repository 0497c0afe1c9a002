#include "buffer/slab.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "buffer/page_memory.hpp"

namespace weir::buffer {

SlabLayout::SlabLayout(Shape image, std::uint32_t count, std::size_t align,
                       std::uint64_t side_bytes) noexcept
    : shape(image), batch(count), alignment(align), side_row(side_bytes) {
  side = round_up(mul_sat(count, image.values()), align);
  labels = add_sat(side, round_up(mul_sat(count, side_bytes), align));
  indices = add_sat(labels, round_up(count * sizeof(std::int64_t), align));
  statuses = add_sat(indices, round_up(count * sizeof(std::uint64_t), align));
  bytes = add_sat(statuses, round_up(count * sizeof(RowStatus), align));
}

std::span<std::uint8_t> Slab::pixels(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto image = static_cast<std::size_t>(layout_->shape.values());
  return {reinterpret_cast<std::uint8_t*>(data_) + first * image, count * image};
}

std::span<std::byte> Slab::side(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto row = static_cast<std::size_t>(layout_->side_row);
  return {data_ + layout_->side + first * row, count * row};
}

std::span<std::int64_t> Slab::labels() const noexcept {
  return {reinterpret_cast<std::int64_t*>(data_ + layout_->labels), rows};
}

std::span<std::uint64_t> Slab::indices() const noexcept {
  return {reinterpret_cast<std::uint64_t*>(data_ + layout_->indices), rows};
}

std::span<RowStatus> Slab::statuses() const noexcept {
  return {reinterpret_cast<RowStatus*>(data_ + layout_->statuses), rows};
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
}

SlabPool::~SlabPool() { retire(); }

Slab* SlabPool::make() {
  if (made_ == slabs_.size() || !book_->try_charge_slab()) return nullptr;
  Slab& slab = *std::ranges::find(slabs_, nullptr, &Slab::data_);
  try {
    slab.data_ = static_cast<std::byte*>(
        upstream().allocate(static_cast<std::size_t>(layout_.bytes), layout_.alignment));
  } catch (...) {
    book_->discharge(Account::idle, {layout_.bytes, false});
    throw;
  }
  book_->add_slab(slab.id);
  ++made_;
  return &slab;
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
  if (watch_) watch_->released(slab);
  if (retired_) deallocate(slab);
  book_->release(slab.id, parting, retired_);
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
  upstream().deallocate(slab.data_, static_cast<std::size_t>(layout_.bytes), layout_.alignment);
  slab.data_ = nullptr;
}

std::pmr::memory_resource& SlabPool::upstream() noexcept {
  if (upstream_) return *upstream_;
  return page_memory();
}

}  // namespace weir::buffer
