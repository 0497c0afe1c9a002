#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stop_token>

#include "weir/batch.hpp"
#include "weir/export.hpp"
#include "weir/progress.hpp"

namespace weir {

namespace api {
class StreamState;
}  // namespace api

/// The extent of a stream.
struct StreamOptions {
  /// The samples that are finished and do not come again. Its data set, number of positions, seed
  /// and order must be those of the loader; batch, ranks and workers may differ.
  std::optional<Progress> resume{};
  std::uint64_t first_epoch = 0;  ///< epochs to leave out at the beginning; 0 with `resume`
  /// Number of epochs, from the beginning of the training, also with `resume`; nullopt: no end. With
  /// `resume`, it is an Error{bad_options} if samples of later epochs are finished, or if this is 1,
  /// the default, and that epoch is finished. If exactly these epochs are finished, and they are
  /// several, the stream ends at once.
  std::optional<std::uint64_t> epochs = 1;
  std::stop_token stop{};  ///< cancels the stream when a stop is requested
};

/// Input iterator over the values of `from.next()`, which returns a Next: a value, or what is false at
/// the end. It releases its value before it advances.
template <class From, class Value, class Next = std::optional<Value>>
class NextIterator {
 public:
  using difference_type = std::ptrdiff_t;  ///< required by std::input_iterator
  using value_type = Value;                ///< type of the elements
  /// Calls `from.next()`. `from` must outlive the iterator.
  explicit NextIterator(From& from) : from_(&from), next_(from.next()) {}
  /// The current value. It may be moved from.
  Value& operator*() noexcept {
    if constexpr (std::same_as<Next, Value>)
      return next_;
    else
      return *next_;
  }
  /// Access to a member of the current value.
  Value* operator->() noexcept { return &**this; }
  /// Releases the value, then calls next().
  NextIterator& operator++() {
    next_ = Next();
    next_ = from_->next();
    return *this;
  }
  /// As the prefix operator. Returns nothing.
  void operator++(int) { ++*this; }
  /// Whether the end is reached.
  bool operator==(std::default_sentinel_t) const noexcept { return !next_; }

 private:
  From* from_;
  Next next_;
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
  /// throwing. Empty if there is no batch in time or the stream is finished(). Throws what ended the
  /// stream, as next().
  [[nodiscard]] std::optional<Batch> next(std::chrono::steady_clock::duration timeout);
  /// Returns at once. Empty if no batch is ready or the stream is finished(). Throws as next():
  /// Error{too_many_leases} while the consumer holds `max_leases` batches, and once what ended the
  /// stream.
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

}  // namespace weir
