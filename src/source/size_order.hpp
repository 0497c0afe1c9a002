#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "source/sampler.hpp"
#include "weir/sizes.hpp"

namespace weir::source {

/// The order of an epoch where sizes are known: the sampler's, with samples of like size brought together
/// in batches if that is asked for. A pure function of (seed, epoch, sizes). One thread: it keeps the
/// window it looked at last.
///
/// A window is `bucket_batches` whole batches of the sampler's order. It is halved again and again, at the
/// boundary of a batch, by the side that varies the most, as a k-d tree is built (Bentley,
/// Multidimensional Binary Search Trees Used for Associative Searching, CACM 1975); the leaves are the
/// batches, in a drawn order where samples are shuffled. The samples that fill no batch are left as they
/// came: sorted, they would always be the largest, and drop_last would never deliver those.
class SizeOrder {
 public:
  /// `sizes` has as many samples as the sampler. `bucket_batches` = 0: the sampler's order.
  SizeOrder(const Sampler& sampler, std::shared_ptr<const SizeIndex> sizes, ImageSize bound,
            std::uint32_t batch, std::uint32_t bucket_batches);

  /// Source indices at the positions from `first` on, which are those of one batch.
  void batch(std::uint64_t epoch, std::uint64_t first, std::span<std::uint64_t> indices);
  /// As delivered: within the bound.
  ImageSize size_of(std::uint64_t index) const noexcept {
    return scaled_within((*sizes_)[index], bound_);
  }
  const Sampler& sampler() const noexcept { return sampler_; }

  /// Of the window of a set of `size` samples.
  static std::uint64_t memory_bytes(std::uint64_t size, std::uint32_t batch,
                                    std::uint32_t bucket_batches) noexcept;

 private:
  struct Entry {
    std::uint64_t index;
    ImageSize size;
    std::uint32_t rank;  ///< in the sampler's order
  };
  static_assert(sizeof(Entry) <= 24);

  void look_at(std::uint64_t epoch, std::uint64_t window);
  void split(std::span<Entry> entries) const;

  const Sampler sampler_;
  const std::shared_ptr<const SizeIndex> sizes_;
  const ImageSize bound_;
  const std::uint32_t batch_;
  const std::uint64_t whole_;   ///< positions that fill batches
  const std::uint64_t window_;  ///< positions of a window; 0: no buckets
  std::uint64_t epoch_ = UINT64_MAX, at_ = UINT64_MAX;
  std::vector<Entry> entries_;  ///< of the window looked at last
};

}  // namespace weir::source
