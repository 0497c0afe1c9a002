#include "buffer/columns.hpp"

namespace weir::buffer {

SlabLayout::SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image,
                       std::uint64_t image_bytes, std::uint32_t count, std::size_t align) noexcept
    : form(rows), mode(sizes_mode), shape(image), batch(count), alignment(align) {
  const auto set = [this](ColumnId id, std::uint64_t all_rows) {
    columns_[static_cast<std::size_t>(id)].bytes = all_rows;
  };
  const auto each = [&](ColumnId id, std::uint64_t row) { set(id, mul_sat(count, row)); };
  set(ColumnId::pixels, image_bytes);
  each(ColumnId::side, form.side_bytes);
  each(ColumnId::labels, sizeof(std::int64_t));
  each(ColumnId::indices, sizeof(std::uint64_t));
  each(ColumnId::statuses, sizeof(RowStatus));
  if (sizes_differ()) {
    each(ColumnId::sizes, sizeof(ImageSize));
    each(ColumnId::extents, sizeof(ImageSize));
    each(ColumnId::offsets, sizeof(std::uint64_t));
  }
  if (form.encoded) each(ColumnId::headers, sizeof(EncodedImage));
  for (auto& column : columns_) {
    column.offset = bytes;
    bytes = add_sat(bytes, round_up(column.bytes, align));
  }
}

}  // namespace weir::buffer
