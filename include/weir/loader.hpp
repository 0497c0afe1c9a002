#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "weir/batch.hpp"
#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/options.hpp"
#include "weir/order.hpp"
#include "weir/plan.hpp"
#include "weir/report.hpp"
#include "weir/rows.hpp"
#include "weir/source.hpp"
#include "weir/stream.hpp"

namespace weir {

/// A property of a loader or a stream, as text.
struct Property {
  std::string name;   ///< for example "seed"
  std::string value;  ///< for example "7"
  /// Compares name and value.
  friend bool operator==(const Property&, const Property&) = default;
};

namespace engine {
struct LoaderState;
}  // namespace engine

/// Determines the size of each image for Options::sizes, from Source::image_size or the header. With
/// Decode::none: the size of each encoded sample, from Source::encoded_bytes (not with OnFault::skip)
/// or by reading it. For a Loader with OnFault::skip, measure with OnFault::skip: then the row of a bad
/// sample has the size of its replacement. A sample that cannot be read, or whose bytes exceed
/// max_sample_bytes or, without it, what any plan chooses, has no size. `options.workers` threads read
/// what is read, each sample once; its bytes are charged to the account `encoded`. The sizes, 8 bytes
/// per sample, are charged to `index` until the function returns; a Loader that uses them charges them,
/// too. The Loader calls this function itself. Call it directly if several loaders share a source.
/// Throws Error{bad_options} for options that contradict each other, and Error{budget_too_small} if
/// the budget has no room for the sizes and one sample.
WEIR_API std::shared_ptr<const SizeIndex> measure_sizes(const AnySource& source,
                                                        const Options& options = {});

/// Determines MemoryOptions::max_sample_bytes: the most bytes that a stream with these options
/// holds for one sample of the source, encoded bytes and decoding together. A plan that does not
/// know the data reserves a quarter of what the smallest queue leaves of the budget, 8 to 256 MiB;
/// what is not reserved is left to the queue and the cache. Reads each sample once, as
/// measure_sizes(), and throws as it does. With partners and sizes that differ it reads twice,
/// unless the sizes are known. Of a bad sample only its encoded bytes count, and of one that
/// cannot be read nothing. A Loader does this itself with `measured`; one that measures sizes
/// without partners reserves no more than this, but not more than without it either. Call it
/// directly if several loaders share a source.
WEIR_API std::uint64_t measure_sample_bytes(const AnySource& source, const Options& options = {});

/// Owns source, ledger, slabs and threads. All calls from any thread. After fork() a child process
/// has the restrictions of a Stream.
class WEIR_API Loader {
 public:
  /// Resolves the options once. Starts no thread that continues after the constructor. If sizes
  /// differ and options.sizes.index is null, it measures the sizes, and with `measured` the bytes of
  /// the largest sample. Throws Error{bad_options} or
  /// Error{budget_too_small}.
  explicit Loader(AnySource source, const Options& options = {});
  /// A moved-from object can only be assigned to or destroyed.
  Loader(Loader&&) noexcept = default;
  Loader& operator=(Loader&&) noexcept = default;

  /// Starts the threads. A Loader has at most one live stream; a second one throws
  /// Error{bad_options}. A stream is live until it is destroyed, also when it is finished.
  Stream stream(const StreamOptions& options = {});
  /// The epochs of a stream, to be seen by the trainer. Starts nothing: the stream starts when its
  /// first epoch is taken, and is the live stream from then on. Throws as stream().
  Epochs epochs(const StreamOptions& options, const EpochOptions& how = {});
  /// The first `count` epochs.
  Epochs epochs(std::uint64_t count, const EpochOptions& how = {});
  /// Starts the threads for samples that the trainer asks for. It counts as the live stream. Throws
  /// Error{bad_options}, also with several ranks, or Error{budget_too_small} if there is no room for
  /// the list of requests.
  Requests requests(const RequestOptions& options = {});
  /// The resolved options.
  const Plan& plan() const noexcept;
  /// The loader's own ledger, or MemoryOptions::ledger.
  MemoryLedger& ledger() noexcept;
  /// Bytes and samples of this loader at one instant.
  Snapshot snapshot() const;
  std::uint64_t size() const noexcept;  ///< samples in the source
  /// Number of batches in an epoch, without those that drop_last omits. The same on every rank.
  std::uint64_t batches_per_epoch() const noexcept;
  /// The Progress of a job that has finished its first `steps` batches on all ranks. Computes the
  /// fingerprint of the data set as Stream::progress() does.
  Progress progress_after(std::uint64_t steps) const;
  /// All that decides the order or the pixels of stream(`stream`): data set, seed, order, batch,
  /// ranks, sizes, decoding, limits and the policy for faults; of code and of what is resumed from,
  /// whether there is any and a hash. Ranks that train together must have equal properties:
  /// interop/mpi.hpp compares them. Computes the fingerprint of the data set as Stream::progress().
  std::vector<Property> identity(const StreamOptions& stream = {}) const;
  /// Class names by label. Empty if the source has none.
  std::vector<std::string> class_names() const;
  /// The name of a sample, by its index in the source (Batch::indices): for example a path. Throws
  /// Error{bad_options} if there is no such sample, as for the index of a padding row.
  std::string name(std::uint64_t index) const;
  /// Writes the recorded events in the Trace Event Format (JSON) for Perfetto (ui.perfetto.dev) or
  /// chrome://tracing. It has one row per thread and per slab, and counters for queue and accounts.
  /// `otherData` contains the number of events that did not fit. The call uses time and memory
  /// outside the ledger. Throws Error{bad_options} if trace.events was 0.
  void write_trace(std::ostream& out) const;
  /// Memory, statistics and faults since the construction of the loader.
  Report report() const;

 private:
  std::shared_ptr<engine::LoaderState> state_;
};

}  // namespace weir
