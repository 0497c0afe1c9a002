#include "buffer/slab.hpp"

namespace weir::buffer {

std::span<std::uint8_t> Slab::pixels(std::uint32_t first, std::uint32_t count,
                                     std::size_t i) const noexcept {
  const auto& column = layout_->of_image(i, ImageColumnId::pixels);
  auto* const all = reinterpret_cast<std::uint8_t*>(data_ + column.offset);
  if (layout_->mode != Sizes::ragged) {
    const auto each = layout_->form.images[i].bytes_in(layout_->shape);
    return {all + first * each, static_cast<std::size_t>(count * each)};
  }
  const auto starts = offsets(i);
  const auto begin = starts[first];
  const auto end = first + count < rows ? starts[first + count] : column.bytes;
  return {all + begin, static_cast<std::size_t>(end - begin)};
}

std::uint64_t Slab::image_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < layout_->form.images.size(); ++i) bytes += pixels(0, rows, i).size();
  return bytes;
}

std::span<std::byte> Slab::annotations(std::uint32_t first, std::uint32_t count) const noexcept {
  const auto row = static_cast<std::size_t>(layout_->form.annotation_bytes);
  return {data_ + (*layout_)[ColumnId::annotations].offset + first * row, count * row};
}

MutableImageView Slab::image(std::uint32_t row, std::size_t i) const noexcept {
  const auto& form = layout_->form.images[i];
  const auto size = form.size_in(layout_->sizes_differ() ? sizes()[row] : layout_->shape);
  const auto width =
      layout_->mode == Sizes::ragged ? size.width : form.size_in(layout_->shape).width;
  return {pixels(row, 1, i).data(), size, std::size_t{width} * pixel_bytes(form.pixels),
          form.pixels};
}

}  // namespace weir::buffer
