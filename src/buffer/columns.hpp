#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/checked.hpp"
#include "base/inline_list.hpp"
#include "weir/image.hpp"
#include "weir/rows.hpp"

namespace weir::buffer {

/// A plane of each row.
struct PlaneForm {
  PixelFormat pixels = PixelFormat::stored8;
  Fill fill{};
  Ratio scale{};

  /// Size of the plane beside an image of this size.
  ImageSize size_beside(ImageSize image) const noexcept { return scaled_by(image, scale); }
  /// Bytes of the plane beside an image of this size.
  std::uint64_t bytes_beside(ImageSize image) const noexcept {
    return image_bytes(size_beside(image), pixels);
  }
};

/// What a row of a batch consists of. It decides the bytes of a row, of a slab and of a kept row.
struct RowForm {
  PixelFormat pixels = PixelFormat::rgb8;
  bool encoded = false;  ///< the rows are encoded samples; one of n bytes has the size 1 x n
  std::uint64_t annotation_bytes = 0;  ///< most of one sample
  Fill fill{};
  InlineList<PlaneForm, EncodedPlanes::most> planes{};

  /// Bytes of the image, or of the encoded sample, in a row of this size.
  std::uint64_t image_bytes(ImageSize size) const noexcept {
    return encoded ? mul_sat(size.height, size.width) : weir::image_bytes(size, pixels);
  }
  /// Bytes of a row of this size.
  std::uint64_t row_bytes(ImageSize size) const noexcept {
    auto bytes = add_sat(image_bytes(size), annotation_bytes);
    for (const auto& plane : planes) bytes = add_sat(bytes, plane.bytes_beside(size));
    return bytes;
  }
};

/// Bytes of the images of several rows, and of their planes.
struct PixelSums {
  std::uint64_t image = 0;
  std::array<std::uint64_t, EncodedPlanes::most> planes{};

  void add(const RowForm& form, ImageSize size) noexcept {
    image = add_sat(image, form.image_bytes(size));
    for (std::size_t i = 0; i < form.planes.size(); ++i)
      planes[i] = add_sat(planes[i], form.planes[i].bytes_beside(size));
  }
};

/// The kinds of data of a batch, in their order in a slab. The planes follow.
enum class ColumnId : std::uint8_t {
  pixels,       ///< images, or encoded samples
  annotations,  ///< the room of each
  lengths,      ///< std::uint32_t: bytes of each annotation; only if there is room
  labels,       ///< std::int64_t
  indices,      ///< std::uint64_t
  statuses,     ///< RowStatus
  windows,      ///< Window; not if the rows are encoded samples
  sizes,        ///< ImageSize; from here on only if sizes differ
  extents,      ///< ImageSize: the largest size of each image
  offsets,      ///< std::uint64_t: where each image begins in `pixels`
  headers,      ///< EncodedImage; only if the rows are encoded samples
};
inline constexpr std::size_t column_count = 11;

/// One kind of data of all rows of a batch.
struct Column {
  std::uint64_t bytes = 0;   ///< of all rows; 0: the batch has no such column
  std::uint64_t offset = 0;  ///< in the slab
};

/// The columns of one plane.
struct PlaneColumns {
  Column pixels;
  Column statuses;  ///< PlaneStatus
  Column offsets;   ///< std::uint64_t: where each row begins in `pixels`; only if sizes differ
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
  static SlabLayout ragged(const RowForm& form, const PixelSums& pixels, std::uint32_t count,
                           std::size_t align) noexcept {
    return {form, Sizes::ragged, {}, pixels, count, align};
  }
  /// No row.
  SlabLayout() noexcept : SlabLayout({}, Sizes::fixed, {}, {}, 0, 1) {}

  const Column& operator[](ColumnId id) const noexcept {
    return columns_[static_cast<std::size_t>(id)];
  }
  /// Of a plane of the form.
  const PlaneColumns& plane(std::size_t i) const noexcept { return planes_[i]; }
  bool sizes_differ() const noexcept { return mode != Sizes::fixed; }

  RowForm form;
  Sizes mode;
  ImageSize shape;  ///< size of every row; 0 x 0 if ragged
  std::uint32_t batch;
  std::size_t alignment;
  std::uint64_t bytes = 0;  ///< size of the whole slab; saturates

 private:
  SlabLayout(const RowForm& rows, Sizes sizes_mode, ImageSize image, const PixelSums& pixels,
             std::uint32_t count, std::size_t align) noexcept;
  /// Of `count` rows of one size.
  static PixelSums alike(const RowForm& form, ImageSize size, std::uint32_t count) noexcept;

  std::array<Column, column_count> columns_{};
  std::array<PlaneColumns, EncodedPlanes::most> planes_{};
};

/// The rows of a batch whose sizes differ.
struct BatchLayout {
  SlabLayout layout;
  std::vector<std::uint64_t> indices;  ///< source index of each row
  std::vector<ImageSize> extents;      ///< largest size of each image
  std::vector<std::uint64_t> offsets;  ///< offset of each image in the pixels
};

}  // namespace weir::buffer
