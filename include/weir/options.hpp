#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "weir/codec.hpp"
#include "weir/error.hpp"
#include "weir/export.hpp"
#include "weir/image.hpp"
#include "weir/memory.hpp"
#include "weir/order.hpp"
#include "weir/rows.hpp"
#include "weir/transform.hpp"

namespace weir {

/// A bound in bytes that the data may decide.
class ByteBound {
 public:
  /// As many as the data need.
  static const ByteBound measured;
  /// As many as this.
  // NOLINTNEXTLINE(google-explicit-constructor): a number is a bound
  constexpr ByteBound(std::uint64_t bytes) noexcept : bytes_(bytes) {}

  /// The number. Empty: `measured`.
  constexpr std::optional<std::uint64_t> bytes() const noexcept { return bytes_; }
  /// Whether both are the same number, or both `measured`.
  friend constexpr bool operator==(const ByteBound&, const ByteBound&) = default;

 private:
  constexpr ByteBound() noexcept = default;
  std::optional<std::uint64_t> bytes_{};
};

inline constexpr ByteBound ByteBound::measured{};

/// Which process of a distributed training this is. Each rank gets its part of every global batch.
/// weir starts no process and joins no group; a launcher or the trainer does.
struct WEIR_API Ranks {
  std::uint32_t rank = 0;         ///< 0 … world-1
  std::uint32_t world = 1;        ///< number of ranks
  std::uint32_t local_world = 1;  ///< ranks on this machine, which share its CPUs and memory

  /// This process trains alone: rank 0 of 1.
  static constexpr Ranks none() noexcept { return {}; }
  /// Rank `rank` of `world`, of which `local_world` run on this machine.
  static constexpr Ranks given(std::uint32_t rank, std::uint32_t world,
                               std::uint32_t local_world = 1) noexcept {
    return {rank, world, local_world};
  }
  /// What torchrun says: RANK, WORLD_SIZE, LOCAL_WORLD_SIZE (1 if it is not set, at most WORLD_SIZE).
  /// This and the functions below read the environment at once. They throw Error{bad_options} that
  /// names the variables if one of the others is missing, if one is not a number, or if the rank is
  /// not below the world.
  static Ranks torchrun();
  /// What Open MPI's mpirun says: OMPI_COMM_WORLD_RANK, OMPI_COMM_WORLD_SIZE,
  /// OMPI_COMM_WORLD_LOCAL_SIZE. Throws as torchrun().
  static Ranks openmpi();
  /// What Slurm says in a step of srun: SLURM_STEP_ID, SLURM_PROCID, SLURM_STEP_NUM_TASKS,
  /// SLURM_STEP_TASKS_PER_NODE. Throws as torchrun().
  static Ranks slurm();
  /// What the launcher says that has started this process; without one: none(). Throws as torchrun()
  /// if one of a pair of variables is missing, and if launchers differ.
  static Ranks automatic();
  /// Compares all fields.
  friend bool operator==(const Ranks&, const Ranks&) = default;
};

/// The ranks with which a Loader runs: the same, after a check. Throws Error{bad_options} unless
/// `world` is 1 or more, `rank` is below it, and `local_world` is 1 to `world`.
WEIR_API Ranks resolved(const Ranks& ranks);

class MemoryLedger;

/// Bounds for prefetched and leased batches.
struct QueueOptions {
  std::uint32_t max_queue_size = 4;  ///< unleased batches, filling or ready; >= 1
  std::uint32_t max_leases = 1;      ///< batches that the consumer may hold at once; >= 1
  /// Maximum bytes of the batches in the queue; nullopt: no limit. One batch is always allowed,
  /// however large.
  std::optional<std::uint64_t> max_bytes{};
};

/// How samples are read.
struct IoOptions {
  /// Concurrent reads. 0: each worker reads, then decodes. Workers also read their own rows while a
  /// read takes less time than to hand its row to a worker, as from the page cache.
  std::uint32_t read_ahead = 0;
};

/// Bounds on memory, in bytes.
struct MemoryOptions {
  std::optional<std::uint64_t> budget_bytes{};  ///< maximum of live bytes; nullopt: no limit
  std::size_t alignment = 64;  ///< alignment of each slab; a power of two, 16 to 2 MiB
  /// Maximum of encoded + scratch of one sample, above 0; with Options::partners, of all samples of a
  /// row. nullopt: the Plan chooses it. `measured`: the Loader reads each sample once and takes what
  /// measure_sample_bytes() finds. A sample that needs more is a fault of kind `memory`, also if its file
  /// has grown since. Of several samples, the largest has the fault.
  std::optional<ByteBound> max_sample_bytes{};
  /// Allocates slabs and the memory of a cache. Called from many threads at once. Null: a
  /// PageMemory.
  std::shared_ptr<std::pmr::memory_resource> upstream = nullptr;
  /// A ledger that several loaders share. Its budget overrides budget_bytes.
  std::shared_ptr<MemoryLedger> ledger = nullptr;
};

/// How bad samples are handled.
struct FaultOptions {
  OnFault policy = OnFault::stop;  ///< stop, skip or blank
  /// Number of faults that a stream tolerates under skip and blank; nullopt: no limit. Compared when
  /// a batch is complete, so the batches being filled can have more.
  std::optional<std::uint64_t> tolerate{};
  /// The same bound as a share of the samples in the epochs begun so far, including redraws.
  double tolerate_share = 1.0;
  bool strict = true;  ///< a decoder's warning is a fault; false: the row is delivered as `damaged`
};

/// Whether weir adjusts a stream's knobs during the run.
enum class Tuning : std::uint8_t {
  off,        ///< the knobs do not change
  automatic,  ///< weir adjusts them within TuningOptions
};

/// Automatic tuning. While a stream runs, weir moves its knobs one at a time towards the result of
/// advise() for the latest interval. It reverts a move that made the result worse.
struct TuningOptions {
  Tuning mode = Tuning::off;  ///< whether weir tunes
  /// Required share of steps that find a batch ready; above 0, at most 1.
  double target_readiness = 0.99;
  /// Maximum of max_queue_size, >= 1; nullopt: four times max_queue_size, at least 16. The budget
  /// also bounds it.
  std::optional<std::uint32_t> most_queue{};
  /// Maximum of workers, >= 1; nullopt: the larger of workers and the CPUs of the process.
  std::optional<std::uint32_t> most_workers{};
  /// Maximum of read_ahead; nullopt: the larger of io.read_ahead and 64.
  std::optional<std::uint32_t> most_read_ahead{};
  std::chrono::milliseconds interval{500};  ///< time between two decisions
  /// Called by a thread of the loader with a sentence for each move. Of the loader's functions it
  /// may call only Stream::cancel(). If it throws, the tuning ends and the stream continues.
  std::function<void(const std::string&)> on_move{};
};

/// Detection of stalled streams.
struct WatchdogOptions {
  /// Time until a stall, above 0: next() has waited so long, and the oldest unfinished row has not
  /// changed. Checked four times in this interval, at least once a second and at most once a
  /// millisecond. nullopt: no watchdog; the cost is then one pointer test per read and per decode.
  std::optional<std::chrono::milliseconds> after{};
  /// Called once per stall by the loader's scheduling thread. The text states what the stream waits
  /// for: which sample, for how long, and which account needs bytes. If the consumer does not call
  /// next() or holds every lease, the text says that the loader is not stalled. A stream that does
  /// not end in time is reported as stopping. Must return quickly. Of the loader's functions it may
  /// call only Stream::cancel(). Exceptions are discarded. Report::stalls has the same texts. It
  /// uses Source::name, which must not block.
  std::function<void(const std::string&)> on_stall{};
};

/// Recording of events per thread for a trace viewer: Loader::write_trace.
struct TraceOptions {
  /// Number of events to keep, from the construction of the loader; later events are only counted.
  /// 0: no trace; the cost is then one branch per trace point. A sample has about five events, a
  /// batch about 17. All memory is allocated at the start: trace_event_bytes per event, in the
  /// account `index`.
  std::uint64_t events = 0;
};
/// Bytes of one event.
inline constexpr std::uint64_t trace_event_bytes = 48;

/// The requested configuration. A limit that is absent is nullopt; ByteBound::measured takes it from
/// the data. weir::resolve turns it into a Plan without open decisions, or
/// throws Error{bad_options} with option, value and bound.
struct WEIR_API Options {
  ImageSize shape{224, 224};     ///< size of every image with Sizes::fixed
  Fit fit = Fit::center;         ///< how an image is fitted to that shape
  std::uint32_t short_side = 0;  ///< for Fit::center; 0: round(max(height, width) * 256 / 224)
  FlipOptions flip{};            ///< how often images are mirrored, for every fit
  RandomOptions random{};        ///< for Fit::random
  PatchOptions patch{};          ///< for Fit::patch
  LetterboxOptions letterbox{};  ///< for Fit::letterbox
  WindowOptions window{};        ///< the user's own windows, in place of `fit`
  PixelFormat pixels = PixelFormat::rgb8;  ///< what a pixel of the batch consists of
  /// How images are resized. Stored formats take `nearest` or `automatic`, the others all but `nearest`.
  Filter filter = Filter::automatic;
  Fill fill{};  ///< where a row shows nothing of its image
  /// Planes of each sample that a batch has beside the image, at most seven. Others are not read.
  std::vector<PlaneOptions> planes{};
  /// Most bytes of the annotation of a sample: boxes, further labels, a caption. A slab has as many
  /// for each row. The source (Encoded::annotation) or the transform writes them. 0: annotations are
  /// not read. `measured`: what the source says its longest one has. For typed access it must be a
  /// multiple of the element's alignment.
  ByteBound annotation_bytes = 0;
  Decode decode = Decode::exact;  ///< accuracy of JPEG decoding; none: rows are encoded samples
  Exif exif = Exif::apply;        ///< whether images are rotated upright
  Order order{};                  ///< the order of the samples in an epoch
  PartnerOptions partners{};      ///< further samples of each row, for the transform
  std::uint32_t batch = 32;       ///< images per batch; >= 1
  std::uint32_t workers = 0;      ///< decoding threads; 0: one per CPU of affinity and cgroup
  QueueOptions queue{};           ///< bounds for prefetched and leased batches
  IoOptions io{};                 ///< how samples are read
  MemoryOptions memory{};         ///< bounds on memory
  CacheOptions cache{};           ///< samples kept from epoch to epoch
  FaultOptions faults{};          ///< how bad samples are handled
  TuningOptions tuning{};         ///< automatic tuning
  TraceOptions trace{};           ///< recording for Loader::write_trace
  WatchdogOptions watchdog{};     ///< detection of stalled streams
  DecodeLimits limits{};          ///< bounds on what a header may require
  /// Decoders for other formats, and for kinds of files that weir's own decoders do not support. The
  /// first one that accepts a sample decodes it.
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
  SizeOptions sizes{};           ///< images with their own sizes
  TransformOptions transform{};  ///< the user's own step
  std::uint64_t seed = 0;        ///< determines order, random crops, transforms and replacements
  bool drop_last = false;        ///< whether an incomplete last global batch of an epoch is omitted
  Ranks ranks{};                 ///< which process of a distributed training this is

  /// The options that a text gives, as in "batch=32,shape=224x224,fit=random"; the others have their
  /// defaults. A name is that of a member, or its last part if no other member ends so. Values are
  /// written as to_string() and the guide write them. Objects, as transform.apply, have no text.
  /// Any thread. Throws Error{bad_options} that names option, value and bound. A Loader checks the
  /// options as a whole.
  static Options parse(std::string_view text);
};

/// The options that differ from their defaults, as Options::parse() reads them. Objects are left out,
/// with what is refused without them, and so are Order::weighted and Order::own. Any thread.
WEIR_API std::string to_string(const Options& options);

}  // namespace weir
