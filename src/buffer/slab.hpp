#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "base/clock.hpp"
#include "books/book.hpp"
#include "buffer/columns.hpp"
#include "weir/image.hpp"
#include "weir/memory.hpp"
#include "weir/rows.hpp"

namespace weir::buffer {

/// One allocation for a whole batch. The pool charges its bytes.
class Slab {
 public:
  books::SlabId id = 0;
  std::uint64_t sequence = 0, epoch = 0;
  std::uint32_t rows = 0;         ///< of the batch, a padding row too
  std::uint32_t samples = 0;      ///< rows that are not padding
  std::uint64_t global_rows = 0;  ///< samples of all ranks
  bool last = false;              ///< the last batch of its epoch
  Clock::time_point since{};      ///< start of filling, ready or leased; the caller sets it
  /// The event that ends the current lease, or the one that ended the last lease.
  std::unique_ptr<LeaseEnd> lease_end;
  bool ending = false;         ///< leased, and released by the consumer: `lease_end` ends the lease
  Slab* next_ready = nullptr;  ///< used by the ready queue

  // `i`: an image of the form: 0 is the image, then the planes follow.
  /// The parts of rows `first` … `first + count - 1`. If sizes differ, each row's part has its
  /// whole extent. `first` must be a row.
  std::span<std::uint8_t> pixels(std::uint32_t first, std::uint32_t count,
                                 std::size_t i = 0) const noexcept;
  /// The part of a row, at its actual size.
  MutableImageView image(std::uint32_t row, std::size_t i = 0) const noexcept;
  /// Bytes of the parts of all rows, of the image and the planes.
  std::uint64_t image_bytes() const noexcept;
  /// The offset of each row in the pixels; only if sizes differ, otherwise empty.
  std::span<std::uint64_t> offsets(std::size_t i = 0) const noexcept {
    return entries<std::uint64_t>(layout_->of_image(i, ImageColumnId::offsets));
  }
  /// Not of the image.
  std::span<PlaneStatus> plane_statuses(std::size_t i) const noexcept {
    return entries<PlaneStatus>(layout_->of_image(i, ImageColumnId::statuses));
  }
  /// The room of the annotations.
  std::span<std::byte> annotations(std::uint32_t first, std::uint32_t count) const noexcept;
  /// Empty without room.
  std::span<std::uint32_t> annotation_lengths() const noexcept {
    return column<std::uint32_t>(ColumnId::lengths);
  }
  std::span<std::int64_t> labels() const noexcept { return column<std::int64_t>(ColumnId::labels); }
  std::span<std::uint64_t> indices() const noexcept {
    return column<std::uint64_t>(ColumnId::indices);
  }
  std::span<RowStatus> statuses() const noexcept { return column<RowStatus>(ColumnId::statuses); }
  /// Empty with encoded samples.
  std::span<Window> windows() const noexcept { return column<Window>(ColumnId::windows); }
  // Only if sizes differ; otherwise empty.
  std::span<ImageSize> sizes() const noexcept { return column<ImageSize>(ColumnId::sizes); }
  /// The largest size of each image.
  std::span<ImageSize> extents() const noexcept { return column<ImageSize>(ColumnId::extents); }
  /// Empty without encoded samples.
  std::span<EncodedImage> encoded() const noexcept {
    return column<EncodedImage>(ColumnId::headers);
  }

  const SlabLayout& layout() const noexcept { return *layout_; }
  /// Bytes allocated and charged. At least layout().bytes; if sizes differ, it can be more.
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  friend class SlabPool;
  /// Empty if the batch has no such column.
  template <class T>
  std::span<T> column(ColumnId which) const noexcept {
    return entries<T>((*layout_)[which]);
  }
  template <class T>
  std::span<T> entries(const Column& column) const noexcept {
    return {reinterpret_cast<T*>(data_ + column.offset), column.bytes == 0 ? 0 : rows};
  }
  std::byte* data_ = nullptr;
  const SlabLayout* layout_ = nullptr;
  std::uint64_t bytes_ = 0;
  Slab* next_ending_ = nullptr;
};

}  // namespace weir::buffer
