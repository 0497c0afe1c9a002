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
#include "weir/report.hpp"
#include "weir/sizes.hpp"
#include "weir/source.hpp"
#include "weir/tally.hpp"

namespace weir {

/// Where a stream stands, counted from batches the consumer has let go: all before `next_batch`,
/// and those listed beyond it.
struct Position {
  std::uint64_t next_batch = 0;                ///< Batch::sequence of the first that is not done
  std::vector<std::uint64_t> released_beyond;  ///< those after it that are, ascending
  /// Field by field.
  friend bool operator==(const Position&, const Position&) = default;
};

/// What a stream delivers.
struct StreamOptions {
  Position from{};                          ///< where to go on; default: at the beginning
  std::optional<std::uint64_t> epochs = 1;  ///< nullopt: endless
  std::stop_token stop{};                   ///< cancels the stream
};

namespace api {
class StreamState;
class LoaderState;
}  // namespace api

/// Input iterator over what `from.next()` gives: releases its value before it advances.
template <class From, class Value>
class NextIterator {
 public:
  using difference_type = std::ptrdiff_t;  ///< as the standard library wants it
  using value_type = Value;                ///< what it points to
  /// At the first value of `from`, which is to outlive it.
  explicit NextIterator(From& from) : from_(&from), value_(from.next()) {}
  /// The value, which may be moved out.
  Value& operator*() noexcept { return *value_; }
  /// Likewise.
  Value* operator->() noexcept { return &*value_; }
  /// Releases the value, then asks for the next.
  NextIterator& operator++() {
    value_.reset();
    value_ = from_->next();
    return *this;
  }
  /// Likewise.
  void operator++(int) { ++*this; }
  /// Whether there are no more.
  bool operator==(std::default_sentinel_t) const noexcept { return !value_; }

 private:
  From* from_;
  std::optional<Value> value_;
};

/// Takes what async_next() asked for: a batch, or none where the stream is finished or cancelled, or what
/// the stream ended in.
using BatchTaker = std::function<void(std::exception_ptr, std::optional<Batch>)>;

/// Batches in order. One consumer thread at a time; cancel() and the const calls from any thread.
///
/// Destruction cancels, joins and loses nothing. It takes at most 100 ms, the decode in progress
/// included, and as much longer as what weir cannot interrupt: a Source::read, a foreign codec, a
/// transform (which can ask DecodedSample::cancelled()) or a callback under way, the part of a WebP that
/// a few bytes code. So does what cancel() began. A thread that waits in next() or settle() meanwhile
/// comes out first; later calls are an error of the program's. Not to be destroyed by one of its own
/// threads (in a Source, a codec, a transform or a callback), where next() and settle() throw
/// Error{bad_options}.
///
/// In a child of fork() nothing works: calls throw Error{bad_options}, finished() is true, cancel() and
/// destructors do nothing. The child is to call exec or _exit.
class WEIR_API Stream {
 public:
  Stream(Stream&&) noexcept;
  Stream& operator=(Stream&&) noexcept;
  ~Stream();

  /// Blocks. Empty: finished or cancelled. Throws Error{too_many_leases} while `max_leases`
  /// batches are out; Error{sample_failed}, Error{too_many_faults} or the source's own exception,
  /// once, where the stream ends in one.
  [[nodiscard]] std::optional<Batch> next();
  /// Waits for a lease to come back, too. Empty: nothing in time, or finished().
  [[nodiscard]] std::optional<Batch> next(std::chrono::steady_clock::duration timeout);
  /// Does not wait. Empty: nothing ready now, or finished().
  [[nodiscard]] std::optional<Batch> try_next();
  /// next() without a thread that waits, for a lease to come back neither. `take` is called once: by the
  /// stream's deciding thread, which it must not keep and where the stream may only be cancelled, or by the
  /// thread that destroys the stream. Whoever is to have the batch is best posted to from it; see
  /// interop/asio.hpp. What it throws is lost, and the batch comes back. Until it is called, this and
  /// next() throw Error{bad_options}.
  void async_next(BatchTaker take);
  /// No batch will come any more.
  bool finished() const noexcept;
  /// No more batches; what is being made is given up. Returns at once. Any thread, any number of times.
  void cancel() noexcept;
  /// Waits until nothing more can be prefetched: no decode is running and none can start before
  /// a batch is released. After cancel(): until the last one has ended.
  void settle();
  /// Where a later stream can resume.
  Position position() const;

  using Iterator = NextIterator<Stream, Batch>;  ///< over the batches to come
  /// For `for (weir::Batch& batch : stream)`: asks for the first batch. Throws what next() throws, as
  /// going on does.
  Iterator begin() { return Iterator(*this); }
  /// Reached where next() gives nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Loader;
  explicit Stream(std::shared_ptr<api::StreamState> state) noexcept;
  std::shared_ptr<api::StreamState> state_;
};

/// The size of each image, for Options::sizes: as the source knows it (Source::image_size), else of the
/// header, for which each sample is read once, by `options.workers` threads, its bytes on the books
/// (account `encoded`). Asked for by the Loader itself; of use where several share a source. Throws
/// Error{budget_too_small} where not even one sample can be read by itself.
WEIR_API std::shared_ptr<const SizeIndex> measure_sizes(const AnySource& source,
                                                        const Options& options = {});

/// Owns source, books, slabs and threads. All calls from any thread. In a child of fork(): as a Stream.
class WEIR_API Loader {
 public:
  /// Resolves the options once. Starts no work, and no thread that outlives it; where sizes differ and
  /// options.sizes.index is null, it measures them. Throws Error{bad_options} or Error{budget_too_small}.
  explicit Loader(AnySource source, const Options& options = {});
  Loader(Loader&&) noexcept;
  Loader& operator=(Loader&&) noexcept;
  ~Loader();

  /// Starts the threads. One live stream per Loader; a second throws Error{bad_options}.
  Stream stream(const StreamOptions& options = {});
  /// What the options became.
  const Plan& plan() const noexcept;
  /// The books: its own, or MemoryOptions::ledger.
  MemoryLedger& ledger() noexcept;
  /// Where every byte and sample of this loader is, at one instant.
  Snapshot snapshot() const;
  std::uint64_t size() const noexcept;  ///< samples in the source
  /// What drop_last leaves out not counted.
  std::uint64_t batches_per_epoch() const noexcept;
  /// By label; empty where the source has none.
  std::vector<std::string> class_names() const;
  /// What happened until now in the Trace Event Format (JSON), which Perfetto (ui.perfetto.dev) and
  /// chrome://tracing open: a row for each thread and each slab; the queue and the accounts as
  /// counters. Events that found no place are counted in its `otherData`. Takes time and memory of
  /// its own, off the books. Throws Error{bad_options} where trace.events was 0.
  void write_trace(std::ostream& out) const;
  /// Books, clocks and faults from the loader's construction until now.
  Report report() const;

 private:
  std::shared_ptr<api::LoaderState> state_;
};

}  // namespace weir
