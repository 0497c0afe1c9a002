#include "c/columns.hpp"

#include <initializer_list>
#include <span>
#include <string>

#include "base/sanitize.hpp"
#include "base/text.hpp"
#include "c/guarded.hpp"

namespace weir::c {
namespace {

constexpr std::int64_t bytes_of_element[] = {1, 2, 4, 8, 8};

/// Elements without gaps.
weir_array dense(const void* data, weir_element element,
                 std::initializer_list<std::uint64_t> shape) noexcept {
  weir_array array{sizeof(weir_array), data, element, 0, {1, 1, 1, 1}, {}};
  for (const auto extent : shape) array.shape[array.dims++] = extent;
  auto stride = bytes_of_element[element];
  for (auto i = array.dims; i-- > 0;) {
    array.strides[i] = stride;
    stride *= static_cast<std::int64_t>(array.shape[i]);
  }
  return array;
}

weir_element element_of(PixelFormat format) noexcept {
  return value_bytes(format) == 2 ? WEIR_U16 : WEIR_U8;
}

template <class T>
weir_array list(std::span<const T> values, weir_element element) noexcept {
  return dense(values.data(), element, {values.size()});
}

// Columns of the image and of a plane.
template <class Rows>
weir_array pixels(const Rows& rows) {
  const auto block = rows.pixels();
  return dense(block.pixels.data(), element_of(block.format),
               {block.count, block.shape.height, block.shape.width, channels_of(block.format)});
}
template <class Rows>
weir_array statuses(const Rows& rows) {
  return list(rows.statuses(), WEIR_U8);
}
template <class Rows>
weir_array all_bytes(const Rows& rows) {
  return list(rows.pixel_bytes(), WEIR_U8);
}
template <class Rows>
weir_array offsets(const Rows& rows) {
  return list(rows.offsets(), WEIR_U64);
}

// Columns of the image alone.
weir_array labels(const Batch& batch) { return list(batch.labels(), WEIR_I64); }
weir_array indices(const Batch& batch) { return list(batch.indices(), WEIR_U64); }
weir_array sizes(const Batch& batch) {
  static_assert(sizeof(ImageSize) == 2 * sizeof(std::uint32_t));
  return dense(batch.sizes().data(), WEIR_U32, {batch.sizes().size(), 2});
}
weir_array annotations(const Batch& batch) {
  const auto block = batch.annotation_block();
  return dense(block.data(), WEIR_U8, {batch.size(), block.size() / batch.size()});
}
weir_array annotation_lengths(const Batch& batch) {
  return list(batch.annotation_lengths(), WEIR_U32);
}

struct Column {
  std::string_view name;
  weir_array (*of_image)(const Batch&);
  weir_array (*of_plane)(const BatchPlane&) = nullptr;
};
constexpr Column columns[] = {{"pixels", pixels, pixels},
                              {"statuses", statuses, statuses},
                              {"bytes", all_bytes, all_bytes},
                              {"offsets", offsets, offsets},
                              {"labels", labels},
                              {"indices", indices},
                              {"sizes", sizes},
                              {"annotations", annotations},
                              {"annotation_lengths", annotation_lengths}};

weir_array strided(const ImageView& image) noexcept {
  auto array = dense(image.data, element_of(image.format),
                     {image.shape.height, image.shape.width, channels_of(image.format)});
  array.strides[0] = static_cast<std::int64_t>(image.row_stride);
  return array;
}

}  // namespace

weir_array bytes_of(const void* data, std::size_t bytes) noexcept {
  return dense(data, WEIR_U8, {bytes});
}

weir_array column_of(const Batch& batch, std::string_view plane, std::string_view name) {
  std::string names;
  for (const auto& column : columns) {
    const bool there = plane.empty() || column.of_plane;
    if (there && column.name == name)
      return plane.empty() ? column.of_image(batch) : column.of_plane(batch.plane(plane));
    if (there) names += concat(names.empty() ? "" : ", ", column.name);
  }
  misuse(concat("'", sanitize(name), "': no such column; ", plane.empty() ? "a batch" : "a plane",
                " has ", names));
}

weir_array image_of(const Batch& batch, std::string_view plane, std::uint32_t row) {
  return strided(plane.empty() ? batch.image(row) : batch.plane(plane).image(row));
}

}  // namespace weir::c
