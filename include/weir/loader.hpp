#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "weir/batch.hpp"
#include "weir/export.hpp"
#include "weir/ledger.hpp"
#include "weir/options.hpp"
#include "weir/plan.hpp"
#include "weir/progress.hpp"
#include "weir/report.hpp"
#include "weir/sizes.hpp"
#include "weir/source.hpp"
#include "weir/tally.hpp"

namespace weir {

/// The extent of a stream.
struct StreamOptions {
  /// The samples that are finished and do not come again. Its data set, number of samples, seed and
  /// order must be those of the loader; batch, ranks and workers may differ.
  std::optional<Progress> resume{};
  std::uint64_t first_epoch = 0;  ///< epochs to leave out at the beginning; 0 with `resume`
  /// Number of epochs, from the beginning of the training, also with `resume`; nullopt: no end.
  std::optional<std::uint64_t> epochs = 1;
  std::stop_token stop{};  ///< cancels the stream when a stop is requested
};

/// A property of a loader or a stream, as text.
struct Property {
  std::string name;   ///< for example "seed"
  std::string value;  ///< for example "7"
  /// Compares name and value.
  friend bool operator==(const Property&, const Property&) = default;
};

namespace api {
class StreamState;
class LoaderState;
}  // namespace api

/// Input iterator over the results of `from.next()`. It releases its value before it advances.
template <class From, class Value>
class NextIterator {
 public:
  using difference_type = std::ptrdiff_t;  ///< required by std::input_iterator
  using value_type = Value;                ///< type of the elements
  /// Calls `from.next()`. `from` must outlive the iterator.
  explicit NextIterator(From& from) : from_(&from), value_(from.next()) {}
  /// The current value. It may be moved from.
  Value& operator*() noexcept { return *value_; }
  /// Access to a member of the current value.
  Value* operator->() noexcept { return &*value_; }
  /// Releases the value, then calls next().
  NextIterator& operator++() {
    value_.reset();
    value_ = from_->next();
    return *this;
  }
  /// As the prefix operator. Returns nothing.
  void operator++(int) { ++*this; }
  /// Whether the end is reached.
  bool operator==(std::default_sentinel_t) const noexcept { return !value_; }

 private:
  From* from_;
  std::optional<Value> value_;
};

/// Receives the result of async_next(): the exception that ended the stream, or a batch, or neither
/// if the stream is finished or cancelled.
using BatchTaker = std::function<void(std::exception_ptr, std::optional<Batch>)>;

/// A stream of batches in order. One consumer thread at a time; cancel() and const members from any
/// thread.
///
/// The destructor cancels the stream and joins its work. It takes at most 100 ms, including the
/// running decodes, plus the time of work that weir cannot interrupt: a running Source::read,
/// foreign codec, transform (which can check DecodedSample::cancelled()) or callback, and a part of
/// a WebP that a few bytes encode. On a busy machine, images of 100 megapixels can take longer. The
/// same bound holds after cancel(). A thread that waits in
/// next() or settle() returns first; later calls are errors in the program. The loader's own
/// threads (in a Source, codec, transform or callback) must not destroy a stream. In those threads
/// next() and settle() throw Error{bad_options}.
///
/// In a child process after fork() a stream does not work: calls throw Error{bad_options},
/// finished() is true, and cancel() and the destructor have no effect. The child must call exec or
/// _exit.
class WEIR_API Stream {
 public:
  /// A moved-from object can only be assigned to or destroyed.
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();

  /// Waits for the next batch. Empty if the stream is finished or cancelled. Throws
  /// Error{too_many_leases} while the consumer holds `max_leases` batches. If the stream fails,
  /// throws once: Error{sample_failed}, Error{too_many_faults} or the source's own exception.
  [[nodiscard]] std::optional<Batch> next();
  /// Waits for the next batch, at most for `timeout`. It also waits for a free lease instead of
  /// throwing. Empty if there is no batch in time or the stream is finished().
  [[nodiscard]] std::optional<Batch> next(std::chrono::steady_clock::duration timeout);
  /// Returns at once. Empty if no batch is ready or the stream is finished().
  [[nodiscard]] std::optional<Batch> try_next();
  /// Requests the next batch without a waiting thread. It also waits for a free lease instead of
  /// throwing. `take` is called once, by the stream's scheduling thread or by the thread that
  /// destroys the stream. On the scheduling thread, `take` must return quickly and may only cancel
  /// the stream; it should post the batch to another executor, see interop/asio.hpp. If `take`
  /// throws, the exception is discarded and the batch is returned; its rows count as discarded.
  /// Until then, this function and next() throw Error{bad_options}.
  void async_next(BatchTaker take);
  /// Whether no further batch will be delivered.
  bool finished() const noexcept;
  /// Stops the stream and abandons unfinished batches. Returns at once. Any thread, any number of
  /// times.
  void cancel() noexcept;
  /// Sets the number of batches in the queue from now on, 1 to Plan::max_queue_size. If the queue is
  /// deeper, it shrinks as batches are taken. Order and pixels do not change. The next stream begins
  /// with the plan's values again. Any thread. Throws Error{bad_options} outside the bounds, or with
  /// Tuning::automatic, which changes the knobs itself.
  void set_queue_size(std::uint32_t n);
  /// The same for the number of workers, 1 to Plan::workers. A worker that is too many finishes its
  /// rows. Throws std::system_error if a thread cannot start; then nothing changes.
  void set_workers(std::uint32_t n);
  /// Waits until prefetching stops: no decode is running, and none can start before a batch is
  /// released. After cancel(): waits for the last running decode.
  void settle();
  /// The samples that the trainer has finished on this rank. Those of batches in the queue and in
  /// hand are not finished; see Batch::finish() and Batch::receipt(). The first call computes the
  /// fingerprint of the data set, from all its names. Any thread.
  Progress progress() const;
  /// The same for all ranks, for a trainer whose ranks have finished the same steps: after a
  /// collective, the state of one rank is that of the job.
  Progress progress_of_all() const;

  using Iterator = NextIterator<Stream, Batch>;  ///< iterates over the remaining batches
  /// For `for (weir::Batch& batch : stream)`. Calls next() for the first batch. This call and each
  /// increment throw as next() does.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when next() returns nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Loader;
  explicit Stream(std::shared_ptr<api::StreamState> state) noexcept;
  std::shared_ptr<api::StreamState> state_;
};

/// Determines the size of each image for Options::sizes, from the source (Source::image_size) or
/// else from the header. To get the header, `options.workers` threads read each sample once; its
/// bytes are charged to the account `encoded`. The sizes, 8 bytes per sample, are charged to `index`
/// until the function returns; a Loader that uses them charges them, too. The Loader calls this
/// function itself. Call it directly if several loaders share a source. Throws
/// Error{budget_too_small} if the budget has no room for the sizes and one sample.
WEIR_API std::shared_ptr<const SizeIndex> measure_sizes(const AnySource& source,
                                                        const Options& options = {});

/// Determines MemoryOptions::max_sample_bytes: the most bytes that a stream with these options holds
/// for one sample of the source, encoded bytes and decoding together. A plan that does not know the
/// data reserves a quarter of the budget, up to 256 MiB; what is not reserved is left to the queue and
/// the cache. Reads each sample once, as measure_sizes(), and throws as it does. Samples that cannot
/// be read do not count. A Loader that measures sizes does this itself.
WEIR_API std::uint64_t measure_sample_bytes(const AnySource& source, const Options& options = {});

/// Owns source, ledger, slabs and threads. All calls from any thread. After fork() a child process
/// has the restrictions of a Stream.
class WEIR_API Loader {
 public:
  /// Resolves the options once. Starts no thread that continues after the constructor. If sizes
  /// differ and options.sizes.index is null, it measures the sizes. Throws Error{bad_options} or
  /// Error{budget_too_small}.
  explicit Loader(AnySource source, const Options& options = {});
  /// A moved-from object can only be assigned to or destroyed.
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  /// Starts the threads. A Loader has at most one live stream; a second one throws
  /// Error{bad_options}.
  Stream stream(const StreamOptions& options = {});
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
  std::shared_ptr<api::LoaderState> state_;
};

}  // namespace weir
