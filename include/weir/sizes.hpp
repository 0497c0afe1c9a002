#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "weir/export.hpp"

namespace weir {

/// Rows and columns of one image.
struct ImageSize {
  std::uint32_t height = 0;  ///< rows
  std::uint32_t width = 0;   ///< columns
  /// By rows, then by columns.
  friend auto operator<=>(const ImageSize&, const ImageSize&) = default;
  /// Bytes of its pixels: three channels of uint8.
  constexpr std::uint64_t bytes() const noexcept { return std::uint64_t{3} * height * width; }
};

/// `size` where it lies within `bound`, else scaled down until it does, aspect kept and sides rounded, 1 at
/// the least. A side of `bound` that is 0 bounds nothing; of a `size` that is not known (0 x 0) it gives that.
WEIR_API ImageSize scaled_within(ImageSize size, ImageSize bound) noexcept;

/// How images share a batch.
///   fixed   each is Options::shape, made so by Options::fit
///   padded  each keeps its own size; all lie in the top left corner of a block as high as the highest and
///           as wide as the widest of the batch, and what is left of it is zero
///   ragged  each keeps its own size; one lies behind the other, and nothing between
enum class Sizes : std::uint8_t { fixed, padded, ragged };

/// The sizes of a source's images, upright. Immutable: share freely between loaders and threads.
class SizeIndex {
 public:
  /// By index of the source; 0 x 0: not known, and a fault of that sample whenever it is drawn.
  explicit SizeIndex(std::vector<ImageSize> sizes) noexcept : sizes_(std::move(sizes)) {}
  /// Samples.
  std::uint64_t size() const noexcept { return sizes_.size(); }
  /// Of sample i < size().
  ImageSize operator[](std::uint64_t i) const noexcept {
    return sizes_[static_cast<std::size_t>(i)];
  }
  /// Of memory: 8 a sample.
  std::uint64_t bytes() const noexcept { return sizes_.size() * sizeof(ImageSize); }

 private:
  std::vector<ImageSize> sizes_;
};

/// With padded and ragged, shape, fit and short_side of the Options have no say.
struct SizeOptions {
  Sizes mode = Sizes::fixed;  ///< how images share a batch
  std::uint32_t max_height =
      0;  ///< padded, ragged: a higher image is scaled down, aspect kept; 0: none is
  std::uint32_t max_width = 0;  ///< the same of a wider one
  /// padded: samples are sorted by size within windows of so many batches, so that those of one batch are
  /// alike and little is padding; 0: they are not. Every sample still comes once an epoch, and the order is
  /// a function of seed, epoch and sizes alone. Memory: 24 bytes a sample of a window, account `index`.
  std::uint32_t bucket_batches = 0;
  /// Known already, as from measure_sizes(); null: the Loader measures.
  std::shared_ptr<const SizeIndex> index = nullptr;

  /// Both bounds.
  ImageSize bound() const noexcept { return {max_height, max_width}; }
};

}  // namespace weir
