#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <vector>

#include "weir/cache.hpp"
#include "weir/codec.hpp"
#include "weir/error.hpp"
#include "weir/image.hpp"
#include "weir/sizes.hpp"
#include "weir/transform.hpp"

namespace weir {

class MemoryLedger;

/// How far the loader may run ahead.
struct QueueOptions {
  std::uint32_t max_queue_size = 4;  ///< batches ahead of the consumer, being filled or ready; >= 1
  std::uint32_t max_leases = 1;      ///< batches the consumer may hold at once; >= 1
  /// Bytes of the batches ahead of the consumer; 0: no bound. One batch may always be ahead, however large.
  std::uint64_t max_bytes = 0;
};

/// How samples are read.
struct IoOptions {
  std::uint32_t read_ahead = 0;  ///< reads kept outstanding; 0: the worker reads, then decodes
};

/// What may be held, in bytes.
struct MemoryOptions {
  /// The most that may ever be live; UINT64_MAX: no bound.
  std::uint64_t budget_bytes = UINT64_MAX;
  std::size_t alignment = 64;          ///< of each slab; a power of two
  std::uint64_t max_sample_bytes = 0;  ///< encoded + scratch of one sample; 0: resolved in the Plan
  /// Provides slabs and what a cache keeps samples in; called from many threads at once. Null: a PageMemory.
  std::shared_ptr<std::pmr::memory_resource> upstream = nullptr;
  /// Several loaders, one budget; overrides budget_bytes.
  std::shared_ptr<MemoryLedger> ledger = nullptr;
};

/// What becomes of bad samples.
struct FaultOptions {
  OnFault policy = OnFault::stop;       ///< stop, skip or blank
  std::uint64_t tolerate = UINT64_MAX;  ///< faults a stream survives under skip and blank
  /// The same as a share of the samples of the epochs begun, redraws included.
  double tolerate_share = 1.0;
  bool strict = true;  ///< a decoder's warning is a fault; false: deliver, mark `damaged`
};

/// Who moves a stream's knobs while it runs.
enum class Tuning : std::uint8_t {
  off,        ///< nobody
  automatic,  ///< weir, as TuningOptions says
};

/// automatic: while a stream runs, weir moves its knobs towards what advise() says of the time
/// measured last, one at a time, and takes a move back that made things worse.
struct TuningOptions {
  Tuning mode = Tuning::off;       ///< whether they are moved at all
  double target_readiness = 0.99;  ///< share of steps that are to find a batch waiting, 0 to 1
  /// The deepest queue; 0: four times max_queue_size and at least 16. The budget bounds it, too.
  std::uint32_t most_queue = 0;
  std::uint32_t most_workers = 0;     ///< 0: workers, or one per hardware thread where that is more
  std::uint32_t most_read_ahead = 0;  ///< 0: io.read_ahead, or 64 where that is more
  std::chrono::milliseconds interval{500};  ///< between two looks
  /// Called with each move in a sentence, by a thread of the loader; of the loader's calls it may make
  /// Stream::cancel() alone. What it throws ends the tuning, not the stream.
  std::function<void(const std::string&)> on_move{};
};

/// A stream that stands still says what it waits for.
struct WatchdogOptions {
  /// next() has waited, and the oldest unfinished row has been the same, for so long: a stall. Looked
  /// for four times as often. 0: no watchdog, which costs a test of a pointer a read and a decode.
  std::chrono::milliseconds after{0};
  /// Called once a stall, by the loader's deciding thread, with what the stream waits for: at which
  /// sample, for how long, where bytes are short and of which account. A consumer that does not ask, or
  /// holds every lease, is told of as no stall of the loader; a stream that does not come to its end,
  /// as stopping. Must return soon; of the loader's calls it may make Stream::cancel() alone. What it
  /// throws is lost. Report::stalls has the sentences, too. Asks Source::name, which must not wait.
  std::function<void(const std::string&)> on_stall{};
};

/// What happened when, on which thread, for a trace viewer: Loader::write_trace.
struct TraceOptions {
  /// The first so many events of the loader's life are kept, later ones counted; 0: no trace, at the
  /// cost of one branch a place. A sample has about five, a batch about eight. Memory for all of them
  /// is there from the start, trace_event_bytes each, in the account `index`.
  std::uint64_t events = 0;
};
/// What one event of a trace takes.
inline constexpr std::uint64_t trace_event_bytes = 48;

/// What one asks for. weir::resolve turns it into a Plan with nothing undecided, and throws
/// Error{bad_options}, naming option, value and bound, where that cannot be.
struct Options {
  Shape shape{};                 ///< of every image in a batch, with Sizes::fixed; three channels
  Fit fit = Fit::center;         ///< how an image becomes that
  std::uint32_t short_side = 0;  ///< fit center; 0: round(max(height, width) * 256 / 224)
  /// Every pixel of the source counts where it is made smaller, as in Pillow and torchvision; false:
  /// bilinear between four pixels, as cv::resize.
  bool antialias = false;
  Decode decode = Decode::exact;  ///< how much of a JPEG's detail is decoded
  Exif exif = Exif::apply;        ///< whether images are turned upright
  bool shuffle = false;        ///< each epoch in another order, a pure function of seed and epoch
  std::uint32_t batch = 32;    ///< images in one; >= 1
  std::uint32_t workers = 0;   ///< threads that decode; 0: one per hardware thread
  QueueOptions queue{};        ///< how far ahead
  IoOptions io{};              ///< reading
  MemoryOptions memory{};      ///< bytes
  CacheOptions cache{};        ///< samples kept from epoch to epoch
  FaultOptions faults{};       ///< bad samples
  TuningOptions tuning{};      ///< knobs that move while a stream runs
  TraceOptions trace{};        ///< for Loader::write_trace
  WatchdogOptions watchdog{};  ///< streams that stand still
  DecodeLimits limits{};       ///< what a header may ask for
  /// For formats that weir does not read; the first that accepts a sample gets it.
  std::vector<std::shared_ptr<const ForeignCodec>> codecs{};
  /// Bytes of each sample beside its pixels, in the slab: several labels, boxes, a mask, a second image.
  /// The source fills them (Encoded::side), or the transform; where neither does they are zero.
  std::uint64_t side_bytes = 0;
  SizeOptions sizes{};           ///< images that keep their own sizes
  TransformOptions transform{};  ///< a step of the user's own
  std::uint64_t seed = 0;  ///< of the order, of random crops, of transforms and of replacements
  bool drop_last = false;  ///< an epoch's short last batch is left out
};

}  // namespace weir
