#include "buffer/slab.hpp"

namespace weir::buffer {

std::span<std::uint8_t> Slab::rows_of(const Column& column, std::span<const std::uint64_t> starts,
                                      std::uint64_t each, std::uint32_t first,
                                      std::uint32_t count) const noexcept {
  auto* const all = reinterpret_cast<std::uint8_t*>(data_ + column.offset);
  if (layout_->mode != Sizes::ragged)
    return {all + first * each, static_cast<std::size_t>(count * each)};
  const auto begin = starts[first];
  const auto end = first + count < rows ? starts[first + count] : column.bytes;
  return {all + begin, static_cast<std::size_t>(end - begin)};
}

std::span<std::uint8_t> Slab::pixels(std::uint32_t first, std::uint32_t count) const noexcept {
  return rows_of((*layout_)[ColumnId::pixels], offsets(), layout_->form.image_bytes(layout_->shape),
                 first, count);
}

std::span<std::uint8_t> Slab::plane_pixels(std::size_t p, std::uint32_t first,
                                           std::uint32_t count) const noexcept {
  return rows_of(layout_->plane(p).pixels, plane_offsets(p),
                 layout_->form.planes[p].bytes_beside(layout_->shape), first, count);
}

std::span<std::byte> Slab::annotations(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto row = static_cast<std::size_t>(layout_->form.annotation_bytes);
  return {data_ + (*layout_)[ColumnId::annotations].offset + first * row, count * row};
}

MutableImageView Slab::image(std::uint32_t row) const noexcept {
  const auto format = layout_->form.pixels;
  const auto size = layout_->sizes_differ() ? sizes()[row] : layout_->shape;
  const auto width = layout_->mode == Sizes::ragged ? size.width : layout_->shape.width;
  return {pixels(row, 1).data(), size, std::size_t{width} * pixel_bytes(format), format};
}

MutableImageView Slab::plane(std::size_t p, std::uint32_t row) const noexcept {
  const auto& form = layout_->form.planes[p];
  const auto size = form.size_beside(layout_->sizes_differ() ? sizes()[row] : layout_->shape);
  const auto width =
      layout_->mode == Sizes::ragged ? size.width : form.size_beside(layout_->shape).width;
  return {plane_pixels(p, row, 1).data(), size, std::size_t{width} * pixel_bytes(form.pixels),
          form.pixels};
}

}  // namespace weir::buffer
