#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "weir/cache.hpp"
#include "weir/export.hpp"
#include "weir/options.hpp"

namespace weir {

/// Staging bytes with the queue `max_queue_size` deep, had its pixels been held as each type.
struct DepthCost {
  std::uint32_t max_queue_size = 0;  ///< batches
  std::uint64_t u8_bytes = 0;        ///< as weir holds them
  std::uint64_t f16_bytes = 0;       ///< as float16 or bfloat16
  std::uint64_t f32_bytes = 0;       ///< as float
};

/// The knobs of a stream. All but the batch may be moved while it runs (Tuning::automatic).
struct Setting {
  std::uint32_t max_queue_size = 1;  ///< batches
  std::uint32_t workers = 1;         ///< threads
  std::uint32_t read_ahead = 0;      ///< reads
  std::uint32_t batch = 1;           ///< images
  /// Field by field.
  friend auto operator<=>(const Setting&, const Setting&) = default;
};

/// Of a Plan whose images keep their own sizes.
struct SizePlan {
  Sizes mode = Sizes::fixed;         ///< as asked
  std::uint32_t bucket_batches = 0;  ///< as asked
  ImageSize bound{};                 ///< as asked
  ImageSize largest{};               ///< the highest and the widest there is, within the bound
  std::uint64_t unknown = 0;         ///< samples whose size is not known
  /// The least of the batches of the first epoch. Plan::slab_bytes is the most that any order could bring.
  std::uint64_t least_slab_bytes = 0;
  std::uint64_t typical_slab_bytes = 0;  ///< their mean
  std::uint64_t most_pixels = 0;         ///< bytes of pixels in Plan::slab_bytes
  double padding = 0;                    ///< share of the first epoch's pixels, as planned
  double padding_without_buckets = 0;    ///< the same, had there been none
  /// What batches ahead of the consumer and in its hands may have together, so that workers have their
  /// arenas; one may always be ahead.
  std::uint64_t max_staging_bytes = UINT64_MAX;
};

/// Of a Plan whose slabs come from a PinnedMemory. Bytes.
struct PinnedPlan {
  std::uint64_t slab_bytes =
      0;  ///< of slabs, the most that will be page-locked; 0: no PinnedMemory
  std::uint64_t limit_bytes = 0;  ///< PinnedMemory::limit(); 0: nothing can be locked
  std::string note;               ///< PinnedMemory::note(): why nothing can be
};

/// Options with nothing left undecided. Bytes are exact. With Tuning::automatic the knobs below are
/// bounds, and a stream begins with `start`.
struct WEIR_API Plan {
  Shape shape{};                     ///< of every image; where sizes differ: sizes.largest
  std::uint32_t short_side = 0;      ///< of fit center, resolved
  std::uint32_t batch = 0;           ///< images in one
  std::uint32_t workers = 0;         ///< threads that decode
  std::uint32_t read_ahead = 0;      ///< cut to max_queue_size * batch
  std::uint32_t max_queue_size = 0;  ///< the deepest that fits the budget, at most as asked
  std::uint32_t max_queue_size_requested = 0;  ///< the wish
  std::uint32_t max_leases = 0;                ///< batches the consumer may hold at once
  std::uint32_t slabs = 0;                     ///< max_queue_size + max_leases
  /// One batch: pixels, side bytes, labels, … and padding. Where sizes differ: the most that one takes.
  std::uint64_t slab_bytes = 0;
  std::uint64_t max_queue_bytes = UINT64_MAX;  ///< of the batches ahead of the consumer
  std::uint64_t side_bytes = 0;                ///< of one sample, as asked; they lie in the slab
  std::size_t alignment = 64;                  ///< of each slab, as asked
  std::uint64_t transform_bytes = 0;   ///< scratch declared for the transform, of max_sample_bytes
  bool whole_images = false;           ///< the transform is given whole images
  std::uint64_t index_bytes = 0;       ///< the source's index and names, and the trace
  std::uint64_t trace_bytes = 0;       ///< of index_bytes: the events of a trace
  std::uint64_t max_sample_bytes = 0;  ///< encoded + scratch of one sample; also the reserve
  std::uint64_t floor_bytes = 0;       ///< the least budget that is accepted
  std::uint64_t ceiling_bytes = 0;     ///< the most that can ever be live
  std::uint64_t promised_bytes = 0;    ///< of a shared budget: what no other loader can take
  std::uint64_t read_ahead_bytes = 0;  ///< most that `encoded` holds beyond the oldest row's
  std::uint64_t budget_bytes = 0;      ///< UINT64_MAX: no bound
  Setting start{};                     ///< what a stream begins with
  SizePlan sizes{};                    ///< where images keep their own sizes
  CachePlan cache{};                   ///< samples kept from epoch to epoch
  PinnedPlan pinned{};                 ///< slabs that a device copies from

  /// Depths 1 .. up_to, with this plan's max_leases and batch.
  std::vector<DepthCost> depth_cost(std::uint32_t up_to) const;
};

/// What a Loader with these options, and a source with such an index, would do and take. Pure, any
/// thread. Throws Error{bad_options} naming option, value and bound, or Error{budget_too_small}
/// naming the floor and its parts. `others_promised`: bytes of a shared budget promised to other
/// loaders. Where sizes differ, options.sizes.index must be there. `samples` in the source, 0: not known;
/// a cache of as many that has no room for its table is none.
WEIR_API Plan resolve(const Options& options, std::uint64_t index_bytes,
                      std::uint64_t others_promised = 0, std::uint64_t samples = 0);

/// Bytes of one slab: count*H*W*C uint8, count*side_bytes, then labels, indices and statuses, each part
/// padded to `alignment`. Pure, any thread.
WEIR_API std::uint64_t slab_bytes(Shape shape, std::uint32_t batch, std::uint64_t alignment,
                                  std::uint64_t side_bytes = 0);

}  // namespace weir
