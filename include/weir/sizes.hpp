#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/export.hpp"
#include "weir/image.hpp"

namespace weir {

/// Scales `size` down to fit in `bound`, if it does not fit already. The aspect ratio is kept, and
/// sides are rounded to at least 1. A side of 0 in `bound` limits nothing. An unknown `size`
/// (0 x 0) gives `bound`.
WEIR_API ImageSize scaled_within(ImageSize size, ImageSize bound) noexcept;

/// How images of different sizes share a batch.
///   fixed   each image is fitted to Options::shape by Options::fit
///   padded  each image keeps its size, in the top left corner of a zeroed block; the block has the
///           largest height and the largest width of the batch
///   ragged  each image keeps its size; images are consecutive, without padding
enum class Sizes : std::uint8_t { fixed, padded, ragged };

/// The sizes of all images in a source, upright. With Decode::none: the sizes of the encoded samples,
/// as 1 x bytes. Immutable: loaders and threads can share it.
class SizeIndex {
 public:
  /// `sizes` by index in the source. 0 x 0 means unknown: each draw of that sample gives a fault.
  explicit SizeIndex(std::vector<ImageSize> sizes) noexcept : sizes_(std::move(sizes)) {}
  /// Number of samples.
  std::uint64_t size() const noexcept { return sizes_.size(); }
  /// Size of sample i < size().
  ImageSize operator[](std::uint64_t i) const noexcept {
    return sizes_[static_cast<std::size_t>(i)];
  }
  /// Memory of this index: 8 bytes per sample.
  std::uint64_t bytes() const noexcept { return sizes_.size() * sizeof(ImageSize); }

 private:
  std::vector<ImageSize> sizes_;
};

/// What SizeFunction::of knows of a batch or a row.
struct SizeInput {
  std::uint64_t epoch = 0;  ///< epoch, from 0
  /// Number of the batch in its epoch, from 0: the same on all ranks and after a resume with the same
  /// global batch. With another one: the number that the batch's first position has in a whole epoch.
  /// With Requests: the number of the request.
  std::uint64_t step = 0;
  std::uint64_t index = UINT64_MAX;  ///< padded, ragged: index in the source
  ImageSize image{};                 ///< padded, ragged: size of the upright image
};

/// Sizes that change while training runs.
struct SizeFunction {
  /// Identifies `of` in Loader::identity(), which ranks compare. 1 to 64 characters.
  std::string name{};
  /// The size of the rows. With Sizes::fixed it decides for a whole batch, in place of Options::shape,
  /// which bounds it. With padded and ragged it decides for a row, and max_height and max_width, both
  /// needed, bound it; the whole image is resized to the row, also if their aspect ratios differ.
  ///
  /// It must be quick and pure, and threads call it at once. Slabs are planned for the bound. A Loader
  /// tries the steps of the first epoch, a stream the first step of each of its epochs, at most a
  /// thousand. Where the function throws or changes an answer, or the size is 0 or beyond the bound,
  /// they throw Error{bad_options}; where that comes later, the stream ends with it before the batch.
  /// For a sample that replaces another it is a fault. Empty: sizes do not change.
  std::function<ImageSize(const SizeInput&)> of{};
};

/// How images share a batch. With padded and ragged, shape, fit and short_side of Options have no
/// effect.
struct SizeOptions {
  Sizes mode = Sizes::fixed;  ///< fixed, padded or ragged
  /// padded, ragged: maximum height, >= 1; larger images are scaled down; nullopt: no limit.
  std::optional<std::uint32_t> max_height{};
  std::optional<std::uint32_t> max_width{};  ///< the same for the width
  /// padded: sorts samples by size within windows of this many batches, which reduces padding. 0:
  /// no sorting. Each sample still occurs once per epoch, and the order depends on seed, epoch and
  /// sizes alone. Memory: 24 bytes per sample of a window, in the account `index`.
  std::uint32_t bucket_batches = 0;
  /// padded: the height and width of a batch are rounded up to multiples of this, as networks with
  /// strides need; 1 to 4096.
  std::uint32_t multiple_of = 1;
  SizeFunction size{};  ///< sizes that change while training runs
  /// Known sizes, for example from measure_sizes(). Null: the Loader measures them.
  std::shared_ptr<const SizeIndex> index = nullptr;

  /// Both limits for scaled_within().
  ImageSize bound() const noexcept { return {max_height.value_or(0), max_width.value_or(0)}; }
  /// Whether batches have different sizes.
  bool vary() const noexcept { return mode != Sizes::fixed || size.of; }
};

}  // namespace weir
