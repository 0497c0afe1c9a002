#include "engine/row_slot.hpp"

#include <algorithm>
#include <cstring>

#include "engine/failure.hpp"

namespace weir::engine {

Shape RowSlot::canvas() const noexcept {
  return slab_->layout().mode == Sizes::ragged ? image().shape : slab_->layout().shape;
}

void RowSlot::describe(EncodedImage image, std::size_t bytes) const noexcept {
  resize({bytes > 0 ? 1u : 0u, static_cast<std::uint32_t>(bytes)});
  image.bytes = pixels().first(bytes);
  slab_->encoded()[row_] = image;
}

std::optional<Defect> RowSlot::fill_side(std::span<const std::byte> given) const {
  if (auto defect = wrong_side(given, side().size())) return defect;
  if (given.empty()) {
    std::ranges::fill(side(), std::byte{0});
  } else {
    std::ranges::copy(given, side().begin());
  }
  return std::nullopt;
}

void RowSlot::clear_rest() const noexcept {
  if (slab_->layout().mode == Sizes::ragged)
    std::ranges::fill(pixels().subspan(static_cast<std::size_t>(image().shape.values())),
                      std::uint8_t{0});
}

void RowSlot::copy(const buffer::KeptSample& kept) const noexcept {
  if (sizes_differ()) resize(kept.size);
  if (pixels().size() > kept.data.bytes.size()) std::ranges::fill(pixels(), std::uint8_t{0});
  const auto to = image();
  const auto line = std::size_t{kept.size.width} * to.shape.channels;
  const auto lines = to.row_stride == line ? 1u : kept.size.height;
  const auto bytes = kept.data.bytes.size() / lines;
  for (std::size_t y = 0; y < lines; ++y)
    std::memcpy(to.data + y * to.row_stride, kept.data.bytes.data() + y * bytes, bytes);
  std::ranges::copy(kept.data.side, side().begin());
  label() = kept.data.label;
}

void RowSlot::blank() const noexcept {
  if (encoded())
    describe({}, 0);
  else if (sizes_differ())
    resize(room());
  std::ranges::fill(pixels(), std::uint8_t{0});
  std::ranges::fill(side(), std::byte{0});
  label() = -1;
}

void RowSlot::pad() const noexcept {
  blank();
  end(UINT64_MAX, RowStatus::padding);
}

void RowSlot::end(std::uint64_t index, RowStatus status) const noexcept {
  slab_->indices()[row_] = index;
  slab_->statuses()[row_] = status;
}

}  // namespace weir::engine
