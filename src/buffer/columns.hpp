#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/checked.hpp"
#include "weir/image.hpp"
#include "weir/sizes.hpp"

namespace weir::buffer {

/// What a row of a batch consists of. It decides the bytes of a row, of a slab and of a kept row.
struct RowForm {
  PixelFormat pixels = PixelFormat::rgb8;
  bool encoded = false;  ///< the rows are encoded samples; one of n bytes has the size 1 x n
  std::uint64_t side_bytes = 0;  ///< side bytes of one sample

  /// Bytes of the image, or of the encoded sample, in a row of this size.
  std::uint64_t image_bytes(ImageSize size) const noexcept {
    return encoded ? mul_sat(size.height, size.width) : weir::image_bytes(size, pixels);
  }
  /// Bytes of a row of this size.
  std::uint64_t row_bytes(ImageSize size) const noexcept {
    return add_sat(image_bytes(size), side_bytes);
  }
};

/// The kinds of data of a batch, in their order in a slab.
enum class ColumnId : std::uint8_t {
  pixels,    ///< images, or encoded samples
  side,      ///< side bytes
  labels,    ///< std::int64_t
  indices,   ///< std::uint64_t
  statuses,  ///< RowStatus
  sizes,     ///< ImageSize; from here on only if sizes differ
  extents,   ///< ImageSize: the largest size of each image
  offsets,   ///< std::uint64_t: where each image begins in `pixels`
  headers,   ///< EncodedImage; only if the rows are encoded samples
};
inline constexpr std::size_t column_count = 9;

/// One kind of data of all rows of a batch.
struct Column {
  std::uint64_t bytes = 0;   ///< of all rows; 0: the batch has no such column
  std::uint64_t offset = 0;  ///< in the slab
};

/// The layout of a slab: its columns one after the other, each padded to `alignment`.
class SlabLayout {
 public:
  /// All rows have the size `image`.
  static SlabLayout fixed(const RowForm& form, ImageSize image, std::uint32_t count,
                          std::size_t align) noexcept {
    return {form, Sizes::fixed, image, mul_sat(count, form.image_bytes(image)), count, align};
  }
  /// Each row is a `block`, which holds an image of its size or smaller.
  static SlabLayout padded(const RowForm& form, ImageSize block, std::uint32_t count,
                           std::size_t align) noexcept {
    return {form, Sizes::padded, block, mul_sat(count, form.image_bytes(block)), count, align};
  }
  /// All images together have `image_bytes` bytes.
  static SlabLayout ragged(const RowForm& form, std::uint64_t image_bytes, std::uint32_t count,
                           std::size_t align) noexcept {
    return {form, Sizes::ragged, {}, image_bytes, count, align};
  }
  /// No row.
  SlabLayout() noexcept : SlabLayout({}, Sizes::fixed, {}, 0, 0, 1) {}

  const Column& operator[](ColumnId id) const noexcept {
    return columns_[static_cast<std::size_t>(id)];
  }
  bool sizes_differ() const noexcept { return mode != Sizes::fixed; }

  RowForm form;
  Sizes mode;
  ImageSize shape;  ///< size of every row; 0 x 0 if ragged
  std::uint32_t batch;
  std::size_t alignment;
  std::uint64_t bytes = 0;  ///< size of the whole slab; saturates

 private:
  SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image, std::uint64_t image_bytes,
             std::uint32_t count, std::size_t align) noexcept;

  std::array<Column, column_count> columns_{};
};

/// The rows of a batch whose sizes differ.
struct BatchLayout {
  SlabLayout layout;
  std::vector<std::uint64_t> indices;  ///< source index of each row
  std::vector<ImageSize> extents;      ///< largest size of each image
  std::vector<std::uint64_t> offsets;  ///< offset of each image in the pixels
};

}  // namespace weir::buffer
