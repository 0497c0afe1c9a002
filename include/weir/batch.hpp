#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "weir/convert.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/lease_end.hpp"
#include "weir/sizes.hpp"

namespace weir {

namespace buffer {
class Slab;
class SlabPool;
}  // namespace buffer

/// One batch, on loan. Move-only; returns its slab when it dies; may outlive Stream and Loader.
/// One thread at a time; distinct batches are independent. What its calls give lies in the slab and is
/// valid until the batch dies; a slab is filled anew for each batch.
class WEIR_API Batch {
 public:
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch&& other) noexcept;
  ~Batch();  ///< counted as consumed

  /// Returns the slab now, counted as discarded.
  void discard() && noexcept;
  /// Returns the slab once `end` is reached, counted as consumed then. Until then the batch stays `leased`
  /// and counts against max_leases. Where all leases that are out end this way, next() waits for one.
  ///
  /// A stream's end or destructor does not wait. The Loader's destructor waits, for a second at most; a slab
  /// whose end is not reached by then is never freed. So does this call once the Loader has gone.
  void release_when(std::unique_ptr<LeaseEnd> end) && noexcept;
  /// What this slab was released with the last time, for release_when() to use again without an allocation.
  /// Null: there is none.
  std::unique_ptr<LeaseEnd> take_last_end() noexcept;

  std::uint32_t size() const noexcept;      ///< rows; the last batch of an epoch may be short
  std::uint64_t epoch() const noexcept;     ///< from 0; a batch belongs to one
  std::uint64_t sequence() const noexcept;  ///< 0, 1, 2 … over the stream (law: order)
  /// N x H x W x C uint8; with Sizes::padded H and W are those of the block. Throws Error{bad_options}
  /// where the batch is ragged: its images have no shape in common, see image() and offsets().
  PixelBlock pixels() const;
  /// Rows first .. first+count-1. Throws Error{bad_options} where they are not all there, and as pixels().
  PixelBlock slice(std::uint32_t first, std::uint32_t count) const;
  /// At its own size; padded, its lines are as far apart as the block is wide. 0 x 0 where a sample of no
  /// known size was left blank. Throws Error{bad_options} where i >= size().
  ImageView image(std::uint32_t i) const;
  /// Rows and columns of each image; empty with Sizes::fixed.
  std::span<const ImageSize> sizes() const noexcept;
  /// Where each image begins in pixel_bytes(); empty with Sizes::fixed.
  std::span<const std::uint64_t> offsets() const noexcept;
  /// All pixels as they lie: images one behind the other, or the block. Of a ragged batch, what a
  /// replacement (OnFault::skip) leaves of the room of the sample that failed is zero.
  std::span<const std::uint8_t> pixel_bytes() const noexcept;
  /// Share of pixel_bytes() that is of no image; 0 with Sizes::fixed.
  double padding() const noexcept;
  /// What lies beside the pixels: Options::side_bytes of each row, one behind the other. The first
  /// byte is aligned as the slab is, a row as far as side_bytes allows.
  std::span<const std::byte> side() const noexcept;
  /// Of one row. Throws Error{bad_options} where i >= size().
  std::span<const std::byte> side(std::uint32_t i) const;
  /// Side bytes that are second images: N x H x W x C uint8. Throws Error{bad_options} where
  /// shape.values() is not Options::side_bytes.
  PixelBlock side_pixels(Shape shape) const;
  std::span<const std::int64_t> labels() const noexcept;    ///< N, as the source gave them
  std::span<const std::uint64_t> indices() const noexcept;  ///< N: which samples of the source
  std::span<const RowStatus> statuses() const noexcept;     ///< N: whether all went well
  std::uint64_t bytes_held() const noexcept;                ///< the slab, to the byte (law: held)

  /// What MemoryLedger::leases() calls the holder from now on: a literal, or another text that lives for as
  /// long as the program. Adapters name what they made of the batch.
  void held_by(const char* holder) const noexcept;

 private:
  friend struct Internals;
  /// Takes over a leased slab of `pool`.
  Batch(std::shared_ptr<buffer::SlabPool> pool, buffer::Slab& slab) noexcept;
  std::shared_ptr<buffer::SlabPool> pool_;
  buffer::Slab* slab_ = nullptr;
};

}  // namespace weir
