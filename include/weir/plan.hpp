#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/memory.hpp"
#include "weir/options.hpp"

namespace weir {

namespace plan {
struct Origin;
}  // namespace plan

/// Staging bytes for one queue depth, for several types of pixels.
struct DepthCost {
  std::uint32_t max_queue_size = 0;  ///< batches
  std::uint64_t staging_bytes = 0;   ///< as weir stores the pixels: uint8, or uint16 for 16 bits
  /// With float16 or bfloat16 images. Empty: rows have encoded samples, or the stored values of files.
  std::optional<std::uint64_t> float16_bytes{};
  std::optional<std::uint64_t> float32_bytes{};  ///< with float images; empty as float16_bytes
};

/// The part of a Plan for images with their own sizes.
struct SizePlan {
  Sizes mode = Sizes::fixed;         ///< from SizeOptions
  std::uint32_t bucket_batches = 0;  ///< from SizeOptions
  std::uint32_t multiple_of = 1;     ///< from SizeOptions
  std::string size{};                ///< SizeFunction::name; empty: sizes do not change
  ImageSize bound{};                 ///< from SizeOptions
  ImageSize
      largest{};  ///< largest height and width after scaling to `bound`, or the bound of `size`
  std::uint64_t unknown = 0;  ///< number of samples of unknown size
  /// Smallest batch of the first epoch, in bytes; of its first million positions if an order draws
  /// more than that and than there are samples. Plan::slab_bytes is the maximum over all possible
  /// orders.
  std::uint64_t least_slab_bytes = 0;
  std::uint64_t typical_slab_bytes = 0;  ///< mean over the first epoch
  std::uint64_t most_pixel_bytes = 0;    ///< of the images within Plan::slab_bytes
  double padding = 0;                    ///< planned share of padding in the first epoch
  double padding_without_buckets = 0;    ///< the same share without buckets
  /// Maximum bytes of all queued and leased batches, so that the workers have room for their
  /// arenas; nullopt: no limit. One queued batch is always allowed.
  std::optional<std::uint64_t> max_staging_bytes{};
};

/// The part of a Plan for slabs from a PinnedMemory. Bytes.
struct PinnedPlan {
  std::uint64_t slab_bytes = 0;   ///< maximum bytes of page-locked slabs; 0: no PinnedMemory
  std::uint64_t limit_bytes = 0;  ///< PinnedMemory::limit(); 0: no memory can be locked
  std::string note;               ///< PinnedMemory::note(): why memory is not locked
};

/// What an epoch delivers. All 0 if the number of samples is unknown.
struct EpochPlan {
  std::uint64_t positions = 0;     ///< samples that the order draws, for all ranks
  std::uint64_t batches = 0;       ///< of this rank, and of each other rank
  std::uint64_t samples = 0;       ///< that this rank delivers
  std::uint64_t all_samples = 0;   ///< that all ranks deliver
  std::uint64_t omitted = 0;       ///< that drop_last leaves out on all ranks
  std::uint64_t padding_rows = 0;  ///< of all ranks: ranks without a sample in the last step
};

/// One kind of data of a batch: what a row of it takes. If sizes differ, of the largest image.
struct RowColumn {
  /// "image", the name of a plane, "annotation", "window", or "labels, indices and statuses".
  std::string name;
  std::optional<PixelFormat> pixels{};  ///< of an image and a plane
  ImageSize size{};                     ///< the same
  std::uint64_t bytes = 0;              ///< without the padding of the slab
};

/// The resolved Options, with exact bytes. With Tuning::automatic, the knobs are upper bounds and a
/// stream begins with `start`.
struct WEIR_API Plan {
  /// Size of every image; with a SizeFunction the largest. If sizes differ: sizes.largest.
  ImageSize shape{224, 224};
  std::uint32_t short_side = 0;      ///< resolved value for Fit::center
  std::uint32_t batch = 0;           ///< images per batch
  std::uint32_t workers = 0;         ///< decoding threads
  std::uint32_t read_ahead = 0;      ///< concurrent reads, at most max_queue_size * batch
  std::uint32_t max_queue_size = 0;  ///< largest value within the budget, at most the requested one
  std::uint32_t max_queue_size_requested = 0;  ///< value from QueueOptions
  std::uint32_t max_leases = 0;                ///< batches that the consumer may hold at once
  std::uint32_t slabs = 0;                     ///< max_queue_size + max_leases
  /// Size of one slab: the columns of all rows, and padding. If sizes differ: the maximum of one batch.
  std::uint64_t slab_bytes = 0;
  std::optional<std::uint64_t> max_queue_bytes{};  ///< from QueueOptions
  std::uint64_t annotation_bytes = 0;              ///< from Options, or what the source says
  std::size_t alignment = 64;                      ///< alignment of each slab
  std::uint64_t transform_bytes = 0;       ///< scratch of the transform, part of max_sample_bytes
  bool whole_images = false;               ///< whether the transform receives whole images
  Decode decode = Decode::exact;           ///< from Options
  Filter filter = Filter::bilinear;        ///< from Options, resolved
  PixelFormat pixels = PixelFormat::rgb8;  ///< what a pixel of a row consists of
  Fill fill{};                             ///< where a row shows nothing of its image
  std::vector<PlaneOptions> planes{};      ///< from Options, with resolved filters
  /// Bytes of one row: pixels, or an encoded sample, planes and annotation. If sizes differ: the mean
  /// over the first epoch.
  std::uint64_t row_bytes = 0;
  /// Index and names of the source, the trace, and weir's own records for the start of a stream.
  std::uint64_t index_bytes = 0;
  /// Part of index_bytes: records of 1 + max_leases slabs and of the first threads. Records of more
  /// slabs and threads are charged to the same account when they are made.
  std::uint64_t record_bytes = 0;
  std::uint64_t trace_bytes = 0;  ///< part of index_bytes: the events of a trace
  /// Maximum of encoded + scratch of one row: of its sample, and of its partners. Also the size of the
  /// reserve.
  std::uint64_t max_sample_bytes = 0;
  std::uint64_t floor_bytes = 0;  ///< smallest accepted budget
  /// Maximum of live bytes, for any data. The positions of a resumed stream and the list of Requests
  /// are charged beside it.
  std::uint64_t ceiling_bytes = 0;
  /// The same for the data of the loader, where the headers of its samples were read: with a
  /// max_sample_bytes of `measured`, and where sizes differ and were measured. Otherwise nullopt.
  std::optional<std::uint64_t> data_ceiling_bytes{};
  std::uint64_t promised_bytes = 0;  ///< part of a shared budget that is reserved for this loader
  /// Maximum of `encoded` for rows after the oldest one; nullopt: no limit.
  std::optional<std::uint64_t> read_ahead_bytes{};
  std::optional<std::uint64_t> budget_bytes{};  ///< from MemoryOptions, or the shared ledger's
  Setting start{};                              ///< initial knobs with Tuning::automatic
  SizePlan sizes{};                             ///< for images with their own sizes
  Ranks ranks{};                                ///< which process this is; resolved
  Order order{};                                ///< from Options
  std::uint32_t partners = 0;                   ///< further samples of each row, from Options
  EpochPlan epoch{};                            ///< what an epoch delivers
  CachePlan cache{};                            ///< for samples kept from epoch to epoch
  PinnedPlan pinned{};                          ///< for page-locked slabs
  /// What it was resolved from, for predictions. Null: not made by resolve().
  std::shared_ptr<const plan::Origin> origin{};

  /// Number of values of an image of `shape`.
  std::uint64_t row_values() const noexcept { return image_values(shape, pixels); }
  /// The cost of one depth with this plan's max_leases and batch.
  DepthCost cost_of(std::uint32_t depth) const noexcept;
  /// The costs of depths 1 .. up_to, at most 1048576. Throws Error{bad_options} for more.
  std::vector<DepthCost> depth_cost(std::uint32_t up_to) const;
  /// Bytes of a slab of `rows` rows instead of `batch`. If sizes differ: in proportion.
  std::uint64_t slab_bytes_of(std::uint32_t rows) const noexcept;
  /// What a row takes, by column: the image, the planes, the annotation if there is room for one, the
  /// window, and the rest.
  std::vector<RowColumn> columns() const;
};

/// Resolves the options for a source with `index_bytes` and `samples` (nullopt: not known).
/// `others_promised` is the part of a shared budget that is reserved for other loaders. If sizes
/// differ, options.sizes.index must be set, to as many sizes as `samples`. Data are not read, so a max_sample_bytes of `measured` is
/// resolved as nullopt. A cache whose table does not fit is resolved to no
/// cache. Pure, any thread. Throws Error{bad_options} with option, value and bound, or
/// Error{budget_too_small} with the floor and its parts.
WEIR_API Plan resolve(const Options& options, std::uint64_t index_bytes,
                      std::uint64_t others_promised = 0, std::optional<std::uint64_t> samples = {});

}  // namespace weir
