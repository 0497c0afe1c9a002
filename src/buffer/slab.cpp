#include "buffer/slab.hpp"

namespace weir::buffer {

std::span<std::uint8_t> Slab::pixels(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto& column = (*layout_)[ColumnId::pixels];
  auto* const all = reinterpret_cast<std::uint8_t*>(data_ + column.offset);
  if (layout_->mode == Sizes::ragged) {
    const auto at = offsets();
    const auto begin = at[first];
    const auto end = first + count < rows ? at[first + count] : column.bytes;
    return {all + begin, static_cast<std::size_t>(end - begin)};
  }
  const auto image = static_cast<std::size_t>(layout_->form.image_bytes(layout_->shape));
  return {all + first * image, count * image};
}

std::span<std::byte> Slab::side(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto row = static_cast<std::size_t>(layout_->form.side_bytes);
  return {data_ + (*layout_)[ColumnId::side].offset + first * row, count * row};
}

MutableImageView Slab::image(std::uint32_t row) const noexcept {
  const auto format = layout_->form.pixels;
  const auto& block = layout_->shape;
  const auto size = layout_->sizes_differ() ? sizes()[row] : block;
  const auto width = layout_->mode == Sizes::ragged ? size.width : block.width;
  return {pixels(row, 1).data(), size, std::size_t{width} * pixel_bytes(format), format};
}

}  // namespace weir::buffer
