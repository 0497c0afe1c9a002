#include "c/columns.hpp"

#include <bit>
#include <string>

#include "base/sanitize.hpp"
#include "c/guarded.hpp"

namespace weir::c {
namespace {

weir_array c_array(const ArrayView& view) noexcept {
  weir_array array{sizeof(weir_array),
                   view.data,
                   view.is_signed ? WEIR_I64 : std::countr_zero(view.element_bytes),
                   static_cast<std::uint32_t>(view.dims),
                   {1, 1, 1, 1},
                   {}};
  for (std::size_t i = 0; i < view.dims; ++i) {
    array.shape[i] = static_cast<std::uint64_t>(view.shape[i]);
    array.strides[i] = view.strides[i] * static_cast<std::int64_t>(view.element_bytes);
  }
  return array;
}

ArrayView encoded(const Batch& batch, std::uint32_t row) {
  const auto rows = batch.encoded();
  if (row >= rows.size())
    misuse("row = ", row, ": the batch has ", rows.size(),
           " encoded rows; with decode=none each row is one");
  return rows[row].bytes;
}

// What an image and a plane have.
constexpr auto pixels = [](const auto& rows) -> ArrayView { return rows.pixels(); };
constexpr auto image = [](const auto& rows, std::uint32_t row) -> ArrayView {
  return rows.image(row);
};
constexpr auto statuses = [](const auto& rows) -> ArrayView { return rows.statuses(); };
constexpr auto all_bytes = [](const auto& rows) -> ArrayView { return rows.pixel_bytes(); };
constexpr auto offsets = [](const auto& rows) -> ArrayView { return rows.offsets(); };

struct Column {
  std::string_view name;
  ArrayView (*of_image)(const Batch&);
  ArrayView (*of_plane)(const BatchPlane&) = nullptr;
  ArrayView (*row_of_image)(const Batch&, std::uint32_t) = nullptr;
  ArrayView (*row_of_plane)(const BatchPlane&, std::uint32_t) = nullptr;
};
constexpr Column columns[] = {
    {"pixels", pixels, pixels, image, image},
    {"statuses", statuses, statuses},
    {"bytes", all_bytes, all_bytes, encoded},
    {"offsets", offsets, offsets},
    {"labels", [](const Batch& batch) -> ArrayView { return batch.labels(); }},
    {"indices", [](const Batch& batch) -> ArrayView { return batch.indices(); }},
    {"sizes", [](const Batch& batch) -> ArrayView { return batch.sizes(); }},
    {"annotations",
     [](const Batch& batch) { return ArrayView(batch.annotation_block()).in_rows(batch.size()); },
     nullptr,
     [](const Batch& batch, std::uint32_t row) -> ArrayView { return batch.annotation(row); }},
    {"annotation_lengths",
     [](const Batch& batch) -> ArrayView { return batch.annotation_lengths(); }}};

/// What gives this column.
template <class Function>
Function find(std::string_view name, Function Column::*function) {
  std::string names;
  for (const auto& column : columns) {
    if (!(column.*function)) continue;
    if (column.name == name) return column.*function;
    names += concat(names.empty() ? "" : ", ", column.name);
  }
  misuse("'", sanitize(name), "': no such column; there are ", names);
}

}  // namespace

weir_array column_of(const Batch& batch, std::string_view plane, std::string_view name) {
  return c_array(plane.empty() ? find(name, &Column::of_image)(batch)
                               : find(name, &Column::of_plane)(batch.plane(plane)));
}

weir_array column_of(const Batch& batch, std::string_view plane, std::string_view name,
                     std::uint32_t row) {
  return c_array(plane.empty() ? find(name, &Column::row_of_image)(batch, row)
                               : find(name, &Column::row_of_plane)(batch.plane(plane), row));
}

}  // namespace weir::c
