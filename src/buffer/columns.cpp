#include "buffer/columns.hpp"

namespace weir::buffer {

SlabLayout::SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image,
                       const PixelSums& pixels, std::uint32_t count, std::size_t align) noexcept
    : form(rows), mode(sizes_mode), shape(image), batch(count), alignment(align) {
  const auto place = [this](Column& column, std::uint64_t all_rows) {
    column = {all_rows, bytes};
    bytes = add_sat(bytes, round_up(all_rows, alignment));
  };
  const auto place_each = [&](ColumnId id, std::uint64_t row) {
    place(columns_[static_cast<std::size_t>(id)], mul_sat(batch, row));
  };
  place(columns_[static_cast<std::size_t>(ColumnId::pixels)], pixels.image);
  place_each(ColumnId::side, form.side_bytes);
  place_each(ColumnId::labels, sizeof(std::int64_t));
  place_each(ColumnId::indices, sizeof(std::uint64_t));
  place_each(ColumnId::statuses, sizeof(RowStatus));
  const auto own_sizes = sizes_differ() ? std::uint64_t{1} : 0;
  place_each(ColumnId::sizes, own_sizes * sizeof(ImageSize));
  place_each(ColumnId::extents, own_sizes * sizeof(ImageSize));
  place_each(ColumnId::offsets, own_sizes * sizeof(std::uint64_t));
  place_each(ColumnId::headers, form.encoded ? sizeof(EncodedImage) : 0);
  for (std::size_t i = 0; i < form.planes.size(); ++i) {
    place(planes_[i].pixels, pixels.planes[i]);
    place(planes_[i].statuses, mul_sat(batch, sizeof(PlaneStatus)));
    place(planes_[i].offsets, mul_sat(batch, own_sizes * sizeof(std::uint64_t)));
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
