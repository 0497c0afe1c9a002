#include "c/columns.hpp"

#include <bit>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>

#include "base/sanitize.hpp"
#include "c/guarded.hpp"

namespace weir::c {
namespace {

/// Elements without gaps.
weir_array dense(const void* data, std::size_t element_bytes, bool is_signed,
                 std::initializer_list<std::uint64_t> shape) noexcept {
  weir_array array{
      sizeof(weir_array), data, is_signed ? WEIR_I64 : std::countr_zero(element_bytes), 0,
      {1, 1, 1, 1},       {}};
  for (const auto extent : shape) array.shape[array.dims++] = extent;
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (auto i = array.dims; i-- > 0;) {
    array.strides[i] = stride;
    stride *= static_cast<std::int64_t>(array.shape[i]);
  }
  return array;
}

template <class T>
weir_array list(std::span<const T> values) noexcept {
  return dense(values.data(), sizeof(T), std::is_signed_v<T>, {values.size()});
}

// The columns whose shape is not that of a list.
weir_array block(const PixelBlock& rows) {
  const auto [height, width] = rows.shape;
  return dense(rows.pixels.data(), value_bytes(rows.format), false,
               {rows.count, height, width, channels_of(rows.format)});
}

weir_array image(const ImageView& view) {
  auto array = dense(view.data, value_bytes(view.format), false,
                     {view.shape.height, view.shape.width, channels_of(view.format)});
  array.strides[0] = static_cast<std::int64_t>(view.row_stride);
  return array;
}

weir_array sizes(const Batch& batch) {
  static_assert(sizeof(ImageSize) == 2 * sizeof(std::uint32_t));
  return dense(batch.sizes().data(), sizeof(std::uint32_t), false, {batch.sizes().size(), 2});
}

weir_array annotations(const Batch& batch) {
  const auto all = batch.annotation_block();
  return dense(all.data(), 1, false, {batch.size(), all.size() / batch.size()});
}

weir_array encoded(const Batch& batch, std::uint32_t row) {
  const auto rows = batch.encoded();
  if (row >= rows.size())
    misuse("row = ", row, ": the batch has ", rows.size(),
           " encoded rows; with decode=none each row is one");
  return list(rows[row].bytes);
}

// What an image and a plane have.
constexpr auto pixels = [](const auto& rows) { return block(rows.pixels()); };
constexpr auto row_pixels = [](const auto& rows, std::uint32_t row) {
  return image(rows.image(row));
};
constexpr auto statuses = [](const auto& rows) { return list(rows.statuses()); };
constexpr auto all_bytes = [](const auto& rows) { return list(rows.pixel_bytes()); };
constexpr auto offsets = [](const auto& rows) { return list(rows.offsets()); };

struct Column {
  std::string_view name;
  weir_array (*of_image)(const Batch&);
  weir_array (*of_plane)(const BatchPlane&) = nullptr;
  weir_array (*row_of_image)(const Batch&, std::uint32_t) = nullptr;
  weir_array (*row_of_plane)(const BatchPlane&, std::uint32_t) = nullptr;
};
constexpr Column columns[] = {
    {"pixels", pixels, pixels, row_pixels, row_pixels},
    {"statuses", statuses, statuses},
    {"bytes", all_bytes, all_bytes, encoded},
    {"offsets", offsets, offsets},
    {"labels", [](const Batch& batch) { return list(batch.labels()); }},
    {"indices", [](const Batch& batch) { return list(batch.indices()); }},
    {"sizes", sizes},
    {"annotations", annotations, nullptr,
     [](const Batch& batch, std::uint32_t row) { return list(batch.annotation(row)); }},
    {"annotation_lengths", [](const Batch& batch) { return list(batch.annotation_lengths()); }}};

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
  if (plane.empty()) return find(name, &Column::of_image)(batch);
  return find(name, &Column::of_plane)(batch.plane(plane));
}

weir_array column_of(const Batch& batch, std::string_view plane, std::string_view name,
                     std::uint32_t row) {
  if (plane.empty()) return find(name, &Column::row_of_image)(batch, row);
  return find(name, &Column::row_of_plane)(batch.plane(plane), row);
}

}  // namespace weir::c
