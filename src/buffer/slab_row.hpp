#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "buffer/sample_cache.hpp"
#include "buffer/slab.hpp"
#include "weir/rows.hpp"

namespace weir::buffer {

/// The images of one row.
using KeptImages = InlineList<ImageView, most_images>;

/// One row of the batch in a slab. Only the row's thread writes it until the row ends.
class SlabRow {
 public:
  SlabRow() noexcept = default;
  SlabRow(Slab& slab, std::uint32_t row) noexcept : slab_(&slab), row_(row) {}

  books::SlabId slab() const noexcept { return slab_->id; }
  // `i`: an image of the form: 0 is the image, then the planes follow.
  std::size_t images() const noexcept { return slab_->layout().form.images.size(); }
  /// All bytes. If sizes differ, the image's whole extent.
  std::span<std::uint8_t> pixels(std::size_t i = 0) const noexcept {
    return slab_->pixels(row_, 1, i);
  }
  /// The part that the fit or the transform writes.
  MutableImageView image(std::size_t i = 0) const noexcept { return slab_->image(row_, i); }
  /// Not of the image.
  PlaneStatus& plane_status(std::size_t i) const noexcept { return slab_->plane_statuses(i)[row_]; }
  /// Fills all bytes, padding too.
  void fill(std::size_t i = 0) const noexcept { fill_from(i, 0); }

  /// The row's annotation, and the room that it has.
  SampleAnnotation annotation() const noexcept;
  /// Sets the annotation. Zeros follow it. At most as long as the room; ignored without room.
  void annotate(std::span<const std::byte> given) const noexcept;
  /// Bytes of the image and the planes at their actual size.
  std::uint64_t image_bytes() const noexcept;
  std::int64_t& label() const noexcept { return slab_->labels()[row_]; }
  /// What the row shows. Not with encoded samples.
  Window& window() const noexcept { return slab_->windows()[row_]; }

  // -- if sizes differ
  bool sizes_differ() const noexcept { return slab_->layout().sizes_differ(); }
  /// The source index of the sample that the batch was laid out for.
  std::uint64_t planned_index() const noexcept { return slab_->indices()[row_]; }
  /// The largest size that this row's image may have.
  ImageSize room() const noexcept { return slab_->extents()[row_]; }
  void resize(ImageSize size) const noexcept { slab_->sizes()[row_] = size; }
  /// The size that the decoder writes: ragged, the image itself; otherwise the batch's block.
  ImageSize canvas() const noexcept;

  bool encoded() const noexcept { return slab_->layout().form.encoded; }
  /// Sets what the header of the row's encoded sample states, and the size of the row.
  void describe(EncodedImage image, std::size_t bytes) const noexcept;

  /// In a ragged batch, fills the unused rest of each extent.
  void clear_rest() const noexcept;
  void copy(const KeptSample& kept) const noexcept;
  /// The decoded row as a cache keeps it: its sizes, and its images in `images`.
  void keep(KeptSample& kept, KeptImages& images) const noexcept;
  /// Writes the row of a failed sample: fill, label -1.
  void blank() const noexcept;
  /// Writes a padding row: fill, label -1, no index.
  void pad() const noexcept;
  void end(std::uint64_t index, RowStatus status) const noexcept;

 private:
  void fill_from(std::size_t i, std::uint64_t begin) const noexcept;

  Slab* slab_ = nullptr;
  std::uint32_t row_ = 0;
};

}  // namespace weir::buffer
