#include "buffer/columns.hpp"

namespace weir::buffer {

SlabLayout::SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image,
                       const ImageSums& sums, std::uint32_t count, std::size_t align) noexcept
    : form(rows), mode(sizes_mode), shape(image), batch(count), alignment(align) {
  for (std::size_t i = 0; i < form.images.size(); ++i) {
    columns_[index_of(i, ImageColumnId::pixels)].bytes = sums.bytes[i];
    if (sizes_differ())
      columns_[index_of(i, ImageColumnId::offsets)].bytes = mul_sat(batch, sizeof(std::uint64_t));
    if (i > 0)
      columns_[index_of(i, ImageColumnId::statuses)].bytes = mul_sat(batch, sizeof(PlaneStatus));
  }
  for (std::size_t id = 0; id < other_columns; ++id)
    columns_[image_columns + id].bytes = mul_sat(batch, row_bytes(ColumnId(id)));
  for (auto& column : columns_) {
    column.offset = bytes;
    bytes = add_sat(bytes, round_up(column.bytes, alignment));
  }
}

std::uint64_t SlabLayout::row_bytes(ColumnId id) const noexcept {
  switch (id) {
    case ColumnId::annotations: return form.annotation_bytes;
    case ColumnId::lengths: return form.annotation_bytes > 0 ? sizeof(std::uint32_t) : 0;
    case ColumnId::labels: return sizeof(std::int64_t);
    case ColumnId::indices: return sizeof(std::uint64_t);
    case ColumnId::statuses: return sizeof(RowStatus);
    case ColumnId::windows: return form.encoded ? 0 : sizeof(Window);
    case ColumnId::sizes:
    case ColumnId::extents: return sizes_differ() ? sizeof(ImageSize) : 0;
    case ColumnId::headers: return form.encoded ? sizeof(EncodedImage) : 0;
  }
  return 0;
}

ImageSums SlabLayout::alike(const RowForm& form, ImageSize size, std::uint32_t count) noexcept {
  ImageSums rows;
  rows.add(form, size);
  for (auto& bytes : rows.bytes) bytes = mul_sat(count, bytes);
  return rows;
}

SlabLayout SlabLayout::of(const RowForm& form, Sizes mode, const ImageSums& rows,
                          std::uint32_t multiple_of, std::uint32_t count,
                          std::size_t align) noexcept {
  if (mode == Sizes::ragged) return ragged(form, rows, count, align);
  const auto side = [&](std::uint32_t pixels) {
    return static_cast<std::uint32_t>(round_up(pixels, multiple_of));
  };
  return padded(form, {side(rows.largest.height), side(rows.largest.width)}, count, align);
}

}  // namespace weir::buffer
