#include "buffer/columns.hpp"

namespace weir::buffer {

SlabLayout::SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image,
                       const PixelSums& pixels, std::uint32_t count, std::size_t align) noexcept
    : form(rows), mode(sizes_mode), shape(image), batch(count), alignment(align) {
  const auto put = [this](Column& column, std::uint64_t all_rows) {
    column = {all_rows, bytes};
    bytes = add_sat(bytes, round_up(all_rows, alignment));
  };
  const auto put_each = [&](ColumnId id, std::uint64_t row) {
    put(columns_[static_cast<std::size_t>(id)], mul_sat(batch, row));
  };
  put(columns_[static_cast<std::size_t>(ColumnId::pixels)], pixels.image);
  put_each(ColumnId::annotations, form.annotation_bytes);
  put_each(ColumnId::lengths, form.annotation_bytes > 0 ? sizeof(std::uint32_t) : 0);
  put_each(ColumnId::labels, sizeof(std::int64_t));
  put_each(ColumnId::indices, sizeof(std::uint64_t));
  put_each(ColumnId::statuses, sizeof(RowStatus));
  put_each(ColumnId::windows, form.encoded ? 0 : sizeof(Window));
  const auto own_sizes = sizes_differ() ? std::uint64_t{1} : 0;
  put_each(ColumnId::sizes, own_sizes * sizeof(ImageSize));
  put_each(ColumnId::extents, own_sizes * sizeof(ImageSize));
  put_each(ColumnId::offsets, own_sizes * sizeof(std::uint64_t));
  put_each(ColumnId::headers, form.encoded ? sizeof(EncodedImage) : 0);
  for (std::size_t i = 0; i < form.planes.size(); ++i) {
    put(planes_[i].pixels, pixels.planes[i]);
    put(planes_[i].statuses, mul_sat(batch, sizeof(PlaneStatus)));
    put(planes_[i].offsets, mul_sat(batch, own_sizes * sizeof(std::uint64_t)));
  }
}

PixelSums SlabLayout::alike(const RowForm& form, ImageSize size, std::uint32_t count) noexcept {
  PixelSums one, all;
  one.add(form, size);
  all.image = mul_sat(count, one.image);
  for (std::size_t i = 0; i < form.planes.size(); ++i)
    all.planes[i] = mul_sat(count, one.planes[i]);
  return all;
}

}  // namespace weir::buffer
