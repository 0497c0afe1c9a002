#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/convert.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/memory.hpp"
#include "weir/rows.hpp"

/// \file
/// A batch, and the receipt that says when it is finished.
namespace weir {

namespace api {
class Finished;
}

/// Stands for a batch that the trainer has not finished. The batch is finished when the receipt is
/// destroyed, and then belongs to Stream::progress(). A destruction by a C++ exception does not
/// finish it, because a step that threw was not trained. Move-only. It may outlive batch and stream.
/// One thread at a time.
class WEIR_API Receipt {
 public:
  /// A receipt of no batch.
  Receipt() noexcept = default;
  Receipt(Receipt&& other) noexcept = default;
  /// Finishes the batch that this receipt stood for.
  Receipt& operator=(Receipt&& other) noexcept;
  ~Receipt();

  /// The batch is finished now.
  void finish() noexcept;
  /// The batch is not finished. It comes again when training resumes.
  void abandon() noexcept;

 private:
  friend struct Internals;
  friend class Batch;
  Receipt(std::shared_ptr<api::Finished> finished, std::uint64_t sequence) noexcept;
  /// A receipt that says when the batch is finished. This one only notes an exception that destroys the batch.
  Receipt take() noexcept;
  std::shared_ptr<api::Finished> finished_;
  std::uint64_t sequence_ = 0;
  int exceptions_ = 0;  ///< exceptions in flight when it was made
  bool done_ = false;   ///< finished or taken
};

namespace buffer {
class Slab;
class SlabPool;
}  // namespace buffer

/// A plane of a batch (Options::planes). It refers to the batch and is valid as long as it.
class WEIR_API BatchPlane {
 public:
  /// All rows as N x H x W x C. Throws Error{bad_options} if the batch is ragged; see image().
  PixelBlock pixels() const;
  /// Rows first .. first+count-1. Throws Error{bad_options} if one of them does not exist, and as
  /// pixels().
  PixelBlock slice(std::uint32_t first, std::uint32_t count) const;
  /// The plane of one row. If sizes differ, it has the size that the row's image has, times
  /// PlaneOptions::scale. Throws Error{bad_options} if i >= Batch::size().
  ImageView image(std::uint32_t i) const;
  /// N statuses: what the rows show.
  std::span<const PlaneStatus> statuses() const noexcept;
  /// Offset of each row in pixel_bytes(). Empty with Sizes::fixed.
  std::span<const std::uint64_t> offsets() const noexcept;
  /// All pixels: consecutive rows, or the padded block.
  std::span<const std::uint8_t> pixel_bytes() const noexcept;
  PixelFormat format() const noexcept;  ///< what a pixel consists of

 private:
  friend class Batch;
  BatchPlane(const buffer::Slab& slab, std::size_t image) noexcept : slab_(&slab), image_(image) {}
  const buffer::Slab* slab_;
  std::size_t image_;  ///< of the row's form
};

/// One batch: a lease on a slab, which the destructor returns. Move-only. It may outlive Stream and
/// Loader. One thread at a time; batches are independent. Spans and views are valid until then.
/// One type has all kinds of rows, because options decide them at run time, as by a command line: a
/// call that the options forbid throws Error{bad_options} with the option and the call to use.
class WEIR_API Batch {
 public:
  /// A moved-from object can only be assigned to or destroyed. So can one after discard() or
  /// release_when().
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch&& other) noexcept;
  /// The rows count as consumed. The batch is finished, unless receipt() took its receipt or the
  /// destruction is by an exception.
  ~Batch();

  /// Returns the slab now. The rows count as discarded, and the batch as finished.
  void discard() && noexcept;
  /// The batch is finished, although it is still in hand: Stream::progress() has its samples. Call
  /// it before a checkpoint at the end of the loop body.
  void finish() noexcept;
  /// Takes the receipt: the batch is finished when the receipt is destroyed. For a trainer that
  /// releases the batch before it has trained with its samples.
  [[nodiscard]] Receipt receipt() noexcept;
  /// Returns the slab when `end` is reached, or at once if it is null. The rows then count as
  /// consumed. Until then the batch stays `leased` and counts against max_leases. If every lease is
  /// pending in this way, next() waits for one. Returns the receipt now.
  ///
  /// The end and the destructor of a stream do not wait for pending leases. The Loader's destructor
  /// waits for up to one second. If the Loader no longer exists, this call itself waits for up to
  /// one second. A slab whose end is not reached in that time is never freed.
  Receipt release_when(std::unique_ptr<LeaseEnd> end) && noexcept;
  /// Returns the LeaseEnd of the previous release_when() on this slab, so that the caller can reuse
  /// it without an allocation. Null if there is none.
  std::unique_ptr<LeaseEnd> take_last_end() noexcept;

  /// Number of rows; the last batch of an epoch may be smaller. At least 1: see RowStatus::padding.
  std::uint32_t size() const noexcept;
  /// Number of samples in the batches of all ranks for this step. In the last step of an epoch it
  /// can be less than batch times ranks, and ranks can differ in their number of samples. A trainer
  /// then weights the gradients of each rank by its samples.
  std::uint64_t global_rows() const noexcept;
  std::uint64_t epoch() const noexcept;     ///< epoch of all rows, from 0
  bool last_of_epoch() const noexcept;      ///< whether the next batch is of another epoch
  std::uint64_t sequence() const noexcept;  ///< position in the stream: 0, 1, 2 … (law: order)
  bool ragged() const noexcept;  ///< whether the rows have no common shape, so that pixels() throws
  /// All rows as N x H x W x C values, as Options::pixels says: uint8 or uint16. With Sizes::padded, H
  /// and W are those of the block. Throws Error{bad_options} if the batch is ragged, because its images
  /// have no common shape; use image() or offsets(). The same with Decode::none; use encoded().
  PixelBlock pixels() const;
  /// Rows first .. first+count-1. Throws Error{bad_options} if one of them does not exist, and as
  /// pixels().
  PixelBlock slice(std::uint32_t first, std::uint32_t count) const;
  /// One image at its own size. With Sizes::padded, row_stride is the stride of the block. The
  /// shape is 0 x 0 for a blank row whose sample has no known size. Throws Error{bad_options} if
  /// i >= size(), and with Decode::none.
  ImageView image(std::uint32_t i) const;
  /// Names of the planes, in the order of Options::planes.
  const std::vector<std::string>& planes() const noexcept;
  /// A plane of Options::planes. Throws Error{bad_options} with the names that there are.
  BatchPlane plane(std::string_view name) const;
  /// The encoded samples, one for each row. Empty without Decode::none.
  std::span<const EncodedImage> encoded() const noexcept;
  /// Height and width of each image. Empty with Sizes::fixed and with Decode::none.
  std::span<const ImageSize> sizes() const noexcept;
  /// Offset of each image in pixel_bytes(). Empty with Sizes::fixed.
  std::span<const std::uint64_t> offsets() const noexcept;
  /// All pixels, or with Decode::none all encoded bytes: consecutive images, or the padded block. In a ragged batch, a replacement
  /// (OnFault::skip) may be smaller than the failed sample; the rest of its space is Options::fill.
  std::span<const std::uint8_t> pixel_bytes() const noexcept;
  /// Share of pixel_bytes() that belongs to no image. 0 with Sizes::fixed.
  double padding() const noexcept;
  /// The annotation of row i. Empty if its sample has none, and in blank and padding rows. Throws
  /// Error{bad_options} if i >= size().
  std::span<const std::byte> annotation(std::uint32_t i) const;
  /// The same as text.
  std::string_view annotation_text(std::uint32_t i) const;
  /// The same as elements. Throws Error{bad_options} if Options::annotation_bytes is no multiple of
  /// their alignment, or the annotation no whole number of them.
  template <AnnotationElement T>
  std::span<const T> annotations(std::uint32_t i) const {
    const auto bytes = annotation(i);
    check_elements(bytes.size(), annotation_room(), sizeof(T), alignof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// All annotations as N x Options::annotation_bytes, for those of one length: a second label, an
  /// embedding. Rows without an annotation are 0. Throws Error{bad_options} if one has another length.
  std::span<const std::byte> annotation_block() const;
  /// Number of bytes of each annotation. Empty without Options::annotation_bytes.
  std::span<const std::uint32_t> annotation_lengths() const noexcept;
  std::span<const std::int64_t> labels()
      const noexcept;  ///< N labels from the source; -1: padding, blank
  std::span<const std::uint64_t> indices() const noexcept;  ///< N indices of samples in the source
  std::span<const RowStatus> statuses() const noexcept;     ///< N statuses: which rows have a fault
  /// What row i shows of its image, with the maps of points and rectangles in both directions. Throws
  /// Error{bad_options} if i >= size(), and with Decode::none.
  const Window& window(std::uint32_t i) const;
  std::uint64_t bytes_held() const noexcept;  ///< size of the slab (law: held)

  /// Sets the name of the holder in MemoryLedger::leases(). The text must be a literal or live as
  /// long as the program. Each adapter sets the name of its own type.
  void held_by(const char* holder) const noexcept;

 private:
  friend struct Internals;
  std::size_t annotation_room() const noexcept;
  /// Takes ownership of a leased slab of `pool`.
  Batch(std::shared_ptr<buffer::SlabPool> pool, buffer::Slab& slab, Receipt receipt) noexcept;
  std::shared_ptr<buffer::SlabPool> pool_;
  buffer::Slab* slab_ = nullptr;
  Receipt receipt_;
};

}  // namespace weir
