#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "source/sampler.hpp"
#include "weir/rows.hpp"

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
  /// `sizes` has as many samples as the source. `bucket_batches` = 0: uses the sampler's order.
  /// `most_batch`: the largest batch of index().
  SizeOrder(const Sampler& sampler, std::shared_ptr<const SizeIndex> sizes, ImageSize bound,
            std::uint64_t most_batch, std::uint32_t bucket_batches);

  /// The source index at `position`, if batches of `batch` positions are cut from the epoch. Throws
  /// as Sampler::index() does.
  std::uint64_t index(std::uint64_t epoch, Position position, std::uint64_t batch);
  /// The delivered size, within the bound.
  ImageSize size_of(std::uint64_t index) const noexcept {
    return scaled_within((*sizes_)[index], bound_);
  }
  /// The size of the upright image.
  ImageSize image_of(std::uint64_t index) const noexcept { return (*sizes_)[index]; }
  const Sampler& sampler() const noexcept { return sampler_; }

  /// Hash of the sizes that decide index().
  static std::uint64_t hash_of(const SizeIndex& sizes, ImageSize bound) noexcept;
  /// Bytes of the window for epochs of so many positions that draw from so many samples, in batches
  /// of up to `most_batch` positions. Never less for a larger batch.
  static std::uint64_t memory_bytes(std::uint64_t positions, std::uint64_t samples,
                                    std::uint64_t most_batch,
                                    std::uint32_t bucket_batches) noexcept;

 private:
  struct Entry {
    std::uint64_t index;
    ImageSize size;
    std::uint32_t rank;  ///< position in the sampler's order
  };
  static_assert(sizeof(Entry) <= 24);

  struct Window {
    std::uint64_t epoch = UINT64_MAX, first = UINT64_MAX, batch = 0;
    bool operator==(const Window&) const = default;
  };
  void look_at(const Window& window, std::uint64_t count);
  std::uint64_t index_or_none(std::uint64_t epoch, Position position) const noexcept;
  void split(std::span<Entry> entries) const;

  const Sampler sampler_;
  const std::shared_ptr<const SizeIndex> sizes_;
  const ImageSize bound_;
  const std::uint32_t bucket_batches_;
  Window at_{};
  std::vector<Entry> entries_;  ///< the window at_
};

}  // namespace weir::source
