#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/defect.hpp"
#include "buffer/sample_cache.hpp"
#include "buffer/slab.hpp"

namespace weir::engine {

/// One row of the batch in a slab. Its thread alone writes there until the row ends.
class RowSlot {
 public:
  RowSlot() noexcept = default;
  RowSlot(buffer::Slab& slab, std::uint32_t row) noexcept : slab_(&slab), row_(row) {}

  books::SlabId slab() const noexcept { return slab_->id; }
  /// All of the row, an image's whole extent where sizes differ.
  std::span<std::uint8_t> pixels() const noexcept { return slab_->pixels(row_, 1); }
  /// What the fit writes, or the transform is to.
  MutableImageView image() const noexcept { return slab_->image(row_); }
  std::span<std::byte> side() const noexcept { return slab_->side(row_, 1); }
  std::int64_t& label() const noexcept { return slab_->labels()[row_]; }

  // -- where sizes differ
  bool sizes_differ() const noexcept { return slab_->layout().sizes_differ(); }
  /// Of the source: the sample that the batch was laid out for.
  std::uint64_t planned_index() const noexcept { return slab_->indices()[row_]; }
  /// The largest size that an image of this row may have.
  ImageSize room() const noexcept { return slab_->extents()[row_]; }
  void resize(ImageSize size) const noexcept { slab_->sizes()[row_] = size; }
  /// Of the pixels that the decoder writes: ragged, the image's alone, else the batch's block.
  Shape canvas() const noexcept;

  /// The side bytes as the source gave them, zeros where it gave none.
  std::optional<Defect> fill_side(std::span<const std::byte> given) const;
  /// Zeros behind an image that is smaller than the room it has in a ragged batch.
  void clear_rest() const noexcept;
  void copy(const buffer::KeptSample& kept) const noexcept;
  /// The row of a sample that failed: zeros, label -1.
  void blank() const noexcept;
  void end(std::uint64_t index, RowStatus status) const noexcept;

 private:
  buffer::Slab* slab_ = nullptr;
  std::uint32_t row_ = 0;
};

}  // namespace weir::engine
