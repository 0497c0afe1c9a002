#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "source/sampler.hpp"
#include "weir/sizes.hpp"

namespace weir::source {

/// The order of an epoch whose image sizes are known: the sampler's order, optionally with samples
/// of similar size in the same batch. A pure function of (seed, epoch, sizes). Not thread-safe: it
/// caches the last window.
///
/// A window is `bucket_batches` whole batches of the sampler's order. It is halved recursively at a
/// batch boundary, by the side that varies most, as in a k-d tree (Bentley, Multidimensional Binary
/// Search Trees Used for Associative Searching, CACM 1975). The leaves are the batches. Their order
/// is random if samples are shuffled. Samples that do not fill a batch keep the sampler's order. If
/// they were sorted, they would always be the largest, and drop_last would never deliver those.
class SizeOrder {
 public:
  /// `sizes` has as many samples as the sampler. `bucket_batches` = 0: uses the sampler's order.
  SizeOrder(const Sampler& sampler, std::shared_ptr<const SizeIndex> sizes, ImageSize bound,
            std::uint32_t batch, std::uint32_t bucket_batches);

  /// The source indices at `first` and the positions after it, which form one batch.
  void batch(std::uint64_t epoch, std::uint64_t first, std::span<std::uint64_t> indices);
  /// The delivered size, within the bound.
  ImageSize size_of(std::uint64_t index) const noexcept {
    return scaled_within((*sizes_)[index], bound_);
  }
  const Sampler& sampler() const noexcept { return sampler_; }

  /// Bytes of the window for a set of `size` samples.
  static std::uint64_t memory_bytes(std::uint64_t size, std::uint32_t batch,
                                    std::uint32_t bucket_batches) noexcept;

 private:
  struct Entry {
    std::uint64_t index;
    ImageSize size;
    std::uint32_t rank;  ///< position in the sampler's order
  };
  static_assert(sizeof(Entry) <= 24);

  void look_at(std::uint64_t epoch, std::uint64_t window);
  void split(std::span<Entry> entries) const;

  const Sampler sampler_;
  const std::shared_ptr<const SizeIndex> sizes_;
  const ImageSize bound_;
  const std::uint32_t batch_;
  const std::uint64_t whole_;   ///< positions that belong to full batches
  const std::uint64_t window_;  ///< positions per window; 0: no buckets
  std::uint64_t epoch_ = UINT64_MAX, at_ = UINT64_MAX;
  std::vector<Entry> entries_;  ///< the last window
};

}  // namespace weir::source
