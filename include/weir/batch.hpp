#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "weir/convert.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"

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
  /// For weir's own layers: takes over a leased slab of `pool`.
  Batch(std::shared_ptr<buffer::SlabPool> pool, buffer::Slab& slab) noexcept;
  Batch(Batch&& other) noexcept;
  Batch& operator=(Batch&& other) noexcept;
  ~Batch();  ///< counted as consumed

  /// Returns the slab now, counted as discarded.
  void discard() && noexcept;

  std::uint32_t size() const noexcept;      ///< rows; the last batch of an epoch may be short
  std::uint64_t epoch() const noexcept;     ///< from 0; a batch belongs to one
  std::uint64_t sequence() const noexcept;  ///< 0, 1, 2 … over the stream (law: order)
  PixelBlock pixels() const noexcept;       ///< N x H x W x C uint8
  /// Rows first .. first+count-1 of pixels(), a micro-batch. Throws Error{bad_options} where they are not all there.
  PixelBlock slice(std::uint32_t first, std::uint32_t count) const;
  /// One row of pixels(). Throws Error{bad_options} where i >= size().
  ImageView image(std::uint32_t i) const;
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
  std::uint64_t bytes_held() const noexcept;                ///< slab with padding (law: held)

  /// What MemoryLedger::leases() calls the holder from now on: a literal, or another text that lives for as
  /// long as the program. Adapters name what they made of the batch.
  void held_by(const char* holder) const noexcept;

 private:
  std::shared_ptr<buffer::SlabPool> pool_;
  buffer::Slab* slab_ = nullptr;
};

}  // namespace weir
