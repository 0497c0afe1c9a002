#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/checked.hpp"
#include "base/inline_list.hpp"
#include "weir/image.hpp"
#include "weir/rows.hpp"

namespace weir::buffer {

/// A row has its image, then its planes.
inline constexpr std::size_t most_images = 1 + EncodedPlanes::most;

/// The image of each row, or one plane.
struct ImageForm {
  PixelFormat pixels = PixelFormat::rgb8;
  Fill fill{};
  Ratio scale{};  ///< of a plane

  /// Its size in a row whose image has the size `row`.
  ImageSize size_in(ImageSize row) const noexcept {
    return scale == Ratio{} ? row : scaled_by(row, scale);
  }
  std::uint64_t bytes_in(ImageSize row) const noexcept { return image_bytes(size_in(row), pixels); }
};

/// What a row of a batch consists of. It decides the bytes of a row, of a slab and of a kept row.
struct RowForm {
  InlineList<ImageForm, most_images> images{ImageForm{}};  ///< the image, then the planes
  /// The image is an encoded sample. One of n bytes is 1 x n pixels of stored8.
  bool encoded = false;
  std::uint64_t annotation_bytes = 0;  ///< most of one sample

  std::uint64_t image_bytes(ImageSize row) const noexcept {
    std::uint64_t bytes = 0;
    for (const auto& image : images) bytes = add_sat(bytes, image.bytes_in(row));
    return bytes;
  }
  std::uint64_t row_bytes(ImageSize row) const noexcept {
    return add_sat(annotation_bytes, image_bytes(row));
  }
};

/// The images of several rows.
struct ImageSums {
  std::array<std::uint64_t, most_images> bytes{};  ///< of each image of the form
  ImageSize largest{};                             ///< the largest sides of all rows

  void add(const RowForm& form, ImageSize row) noexcept {
    for (std::size_t i = 0; i < form.images.size(); ++i)
      bytes[i] = add_sat(bytes[i], form.images[i].bytes_in(row));
    largest = {std::max(largest.height, row.height), std::max(largest.width, row.width)};
  }
};

/// The kinds of data of a batch that are not pixels.
enum class ColumnId : std::uint8_t {
  annotations,  ///< the room of each
  lengths,      ///< std::uint32_t: bytes of each annotation; only if there is room
  labels,       ///< std::int64_t
  indices,      ///< std::uint64_t
  statuses,     ///< RowStatus
  windows,      ///< Window; not if the rows are encoded samples
  sizes,        ///< ImageSize; only if sizes differ
  extents,      ///< ImageSize: the largest size of each image; only if sizes differ
  headers,      ///< EncodedImage; only if the rows are encoded samples
};
/// Those of each image of the form.
enum class ImageColumnId : std::uint8_t {
  pixels,    ///< or encoded samples
  offsets,   ///< std::uint64_t: where each row begins in `pixels`; only if sizes differ
  statuses,  ///< PlaneStatus; not of the first image
};

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
    return {form, Sizes::fixed, image, alike(form, image, count), count, align};
  }
  /// Each row is a `block`, which holds an image of its size or smaller.
  static SlabLayout padded(const RowForm& form, ImageSize block, std::uint32_t count,
                           std::size_t align) noexcept {
    return {form, Sizes::padded, block, alike(form, block, count), count, align};
  }
  /// Each row has its own size.
  static SlabLayout ragged(const RowForm& form, const ImageSums& rows, std::uint32_t count,
                           std::size_t align) noexcept {
    return {form, Sizes::ragged, {}, rows, count, align};
  }
  /// The rows have sizes of their own. `multiple_of`: of the sides of a padded row.
  static SlabLayout of(const RowForm& form, Sizes mode, const ImageSums& rows,
                       std::uint32_t multiple_of, std::uint32_t count, std::size_t align) noexcept;
  /// No row.
  SlabLayout() noexcept : SlabLayout({}, Sizes::fixed, {}, {}, 0, 1) {}

  const Column& operator[](ColumnId id) const noexcept {
    return columns_[image_columns + static_cast<std::size_t>(id)];
  }
  /// Of an image of the form.
  const Column& of_image(std::size_t i, ImageColumnId id) const noexcept {
    return columns_[index_of(i, id)];
  }
  /// All, in the order in which they lie in the slab.
  std::span<const Column> columns() const noexcept { return columns_; }
  bool sizes_differ() const noexcept { return mode != Sizes::fixed; }

  RowForm form;
  Sizes mode;
  ImageSize shape;  ///< size of every row; 0 x 0 if ragged
  std::uint32_t batch;
  std::size_t alignment;
  std::uint64_t bytes = 0;  ///< size of the whole slab; saturates

 private:
  static constexpr auto each_image = static_cast<std::size_t>(ImageColumnId::statuses) + 1;
  static constexpr auto image_columns = each_image * most_images;
  static constexpr auto other_columns = static_cast<std::size_t>(ColumnId::headers) + 1;
  static constexpr std::size_t index_of(std::size_t i, ImageColumnId id) noexcept {
    return i * each_image + static_cast<std::size_t>(id);
  }

  SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image, const ImageSums& sums,
             std::uint32_t count, std::size_t align) noexcept;
  /// Of `count` rows of one size.
  static ImageSums alike(const RowForm& form, ImageSize size, std::uint32_t count) noexcept;
  /// Bytes of a row.
  std::uint64_t row_bytes(ColumnId id) const noexcept;

  std::array<Column, image_columns + other_columns> columns_{};
};

/// The rows of a batch whose sizes differ.
struct BatchLayout {
  SlabLayout layout;
  std::vector<std::uint64_t> indices;  ///< source index of each row
  std::vector<ImageSize> extents;      ///< largest size of each image
};

}  // namespace weir::buffer
