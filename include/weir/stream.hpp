#pragma once

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

#include "weir/batch.hpp"
#include "weir/export.hpp"
#include "weir/order.hpp"

/// \file
/// The three ways to get batches: streams, epochs, and requests.
namespace weir {

namespace api {
class RunningStream;
class StreamState;
}  // namespace api

/// The extent of a stream.
struct StreamOptions {
  /// The samples that are finished and do not come again. Its data set, number of positions, seed
  /// and order must be those of the loader; batch, ranks and workers may differ.
  std::optional<Progress> resume{};
  /// Epochs to leave out at the beginning; 0 with `resume`. If these are all of several, the stream
  /// ends at once. More than `epochs`, or all of one, are an Error{bad_options}.
  std::uint64_t first_epoch = 0;
  /// Number of epochs, from the beginning of the training, also with `resume`; nullopt: no end. With
  /// `resume`, it is an Error{bad_options} if all of these are finished, and samples of later epochs,
  /// too, or if this is 1, the default, and that epoch is finished. If exactly these epochs are
  /// finished, and they are several, the stream ends at once.
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

/// Batches one after another: what a Stream and Requests have in common. One consumer thread at a
/// time; cancel() and const members from any thread.
///
/// The destructor cancels the stream and joins its work. It takes at most 100 ms, including the
/// running decodes, plus the time of work that weir cannot interrupt: a running Source::read,
/// foreign codec, transform (which can check DecodedSample::cancelled()) or callback, and a part of
/// a WebP that a few bytes encode. On a busy machine, images of 100 megapixels can take longer. The
/// same bound holds after cancel(). A thread that waits in
/// next() or Stream::settle() returns first; later calls are errors in the program. The loader's
/// own threads (in a Source, codec, transform or callback) must not destroy a stream. In those
/// threads next(), try_next(), Stream::async_next(), Stream::settle() and what sets knobs throw
/// Error{bad_options}.
///
/// In a child process after fork() a stream does not work: calls throw Error{bad_options},
/// finished() is true, and cancel() and the destructor have no effect. The child must call exec or
/// _exit.
class WEIR_API BatchStream {
 public:
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
  /// Whether no further batch will be delivered.
  bool finished() const noexcept;
  /// Stops the stream and abandons unfinished batches. Returns at once. Any thread, any number of
  /// times.
  void cancel() noexcept;

  using Iterator = NextIterator<BatchStream, Batch>;  ///< iterates over the remaining batches
  /// For `for (weir::Batch& batch : stream)`. Calls next() for the first batch. This call and each
  /// increment throw as next() does.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when next() returns nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

 protected:
  /// \cond
  friend struct Internals;
  // A Stream cannot become Requests.
  BatchStream(BatchStream&&) noexcept = default;
  BatchStream& operator=(BatchStream&&) noexcept = default;
  ~BatchStream() = default;
  explicit BatchStream(std::shared_ptr<api::RunningStream> state) noexcept;
  std::shared_ptr<api::RunningStream> state_;
  /// \endcond
};

/// A stream of batches in order, by a schedule.
class WEIR_API Stream : public BatchStream {
 public:
  /// Requests the next batch without a waiting thread. It also waits for a free lease instead of
  /// throwing. `take` is called once, by the stream's scheduling thread or by the thread that
  /// destroys the stream. On the scheduling thread, `take` must return quickly and may only cancel
  /// the stream; it should post the batch to another executor, see interop/asio.hpp. If `take`
  /// throws, the exception is discarded and the batch is returned; its rows count as discarded.
  /// Until then, this function and next() throw Error{bad_options}.
  void async_next(BatchTaker take);
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

 private:
  friend class Loader;
  explicit Stream(std::shared_ptr<api::StreamState> state) noexcept;
};

namespace api {
class EpochsState;
class EpochVisit;
}  // namespace api

/// How Loader::epochs() behaves at the end of an epoch.
struct EpochOptions {
  /// What follows an epoch that is left early, by `break` or `return`. false: its other samples do
  /// not come, and count as finished. true: the next Epoch has them. An epoch that an exception
  /// leaves always goes on: the exception destroyed its last Batch or the Epoch, or next() threw it.
  bool go_on_when_left = false;
  /// Whether the loader rests between epochs: the stream ends with each epoch, and the next one
  /// starts it anew. Between them the loader has no threads and no slabs. false: the next epoch is
  /// prefetched before this one has ended.
  bool rest = false;
};

/// One epoch of Epochs: a range of batches. Copies are the same epoch. It is left when the last copy
/// is destroyed. One thread at a time.
class WEIR_API Epoch {
 public:
  /// No epoch.
  Epoch() noexcept = default;
  /// Whether this is an epoch. It then has at least one batch.
  explicit operator bool() const noexcept { return visit_ != nullptr; }
  /// Number of the epoch, from 0; of no epoch 0.
  std::uint64_t number() const noexcept;
  /// Waits for the next batch. Empty at the end of the epoch, and if the stream was cancelled.
  /// Throws as Stream::next().
  [[nodiscard]] std::optional<Batch> next();

  using Iterator = NextIterator<Epoch, Batch>;  ///< iterates over the remaining batches
  /// For `for (weir::Batch& batch : epoch)`.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when next() returns nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Epochs;
  explicit Epoch(std::shared_ptr<api::EpochVisit> visit) noexcept : visit_(std::move(visit)) {}
  std::shared_ptr<api::EpochVisit> visit_;
};

/// The epochs of a loader, one after the other:
///
///     for (auto epoch : loader.epochs(3))
///       for (weir::Batch& batch : epoch) learn(batch);
///
/// One stream delivers them, so prefetching continues across the end of an epoch. It starts with the
/// first epoch that is taken, not before. Batch::sequence() begins again when the stream starts
/// anew: after an epoch that was left early (unless EpochOptions::go_on_when_left), and after a rest. An
/// epoch without batches does not appear.
///
/// One thread at a time. To cancel from another thread, use StreamOptions::stop. An Epoch keeps the
/// stream alive; once none is left, the destructor is that of a Stream.
class WEIR_API Epochs {
 public:
  /// A moved-from object can only be assigned to or destroyed.
  Epochs(Epochs&&) noexcept = default;
  Epochs& operator=(Epochs&&) noexcept = default;

  /// The next epoch; no epoch if there are no more, or if the stream was cancelled. Leaves the one
  /// before. Waits for the first batch. Throws as Loader::stream() and Stream::next().
  ///
  ///     for (weir::Batch& batch : validation.next()) evaluate(batch);
  [[nodiscard]] Epoch next();
  /// As Stream::progress(), of all epochs: a batch that was not trained stays unfinished when the
  /// stream starts anew, or rests. It comes again when training resumes, and not before. What was left
  /// early is finished.
  Progress progress() const;
  /// As Stream::progress_of_all().
  Progress progress_of_all() const;

  using Iterator = NextIterator<Epochs, Epoch, Epoch>;  ///< iterates over the remaining epochs
  /// For `for (auto epoch : epochs)`.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when there is no epoch.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Loader;
  explicit Epochs(std::shared_ptr<api::EpochsState> state) noexcept;
  std::shared_ptr<api::EpochsState> state_;
};

namespace api {
class RequestState;
}  // namespace api

/// The limits of Loader::requests().
struct RequestOptions {
  /// Maximum of requests that are not finished; 1 to 1,048,576. Each takes 8 bytes for each row of a
  /// batch and 28 bytes more, in the account `index`. Under a budget, all of them together take at
  /// most the bytes of a batch.
  std::uint32_t max_outstanding = 64;
  std::stop_token stop{};  ///< cancels the requests when a stop is requested
};

/// A stream whose samples the trainer asks for while it runs. Each ask is one batch. Batches come in
/// the order asked. They are prefetched as far as they are asked for and the queue has room.
///
/// Budget, cache, faults and statistics are those of a Stream. Options::order, drop_last and
/// sizes.bucket_batches have no effect. All batches are of epoch 0. The rows of an ask have the
/// positions after those of the asks before it: 0, 1, 2 … They determine random crops, transforms
/// and replacements. For FaultOptions::tolerate_share, as many rows as the source has samples count
/// as an epoch.
///
/// A batch is finished when its Receipt is destroyed, as in a Stream. A batch that an exception
/// destroys is not finished: it stays outstanding.
///
/// next() waits for the oldest batch that was asked for and not taken. It is empty at once if there
/// is none, and so is try_next(); with a timeout, it waits for an ask by another thread, too. After
/// cancel(), and after next() has thrown the error of a sample, it is finished(): batches that were
/// asked for and not taken do not come, and outstanding() still has them. A loop over it runs until
/// all that was asked for is taken, and may ask for more.
///
/// ask(), try_ask() and outstanding() from any thread. Batches may outlive this object.
class WEIR_API Requests : public BatchStream {
 public:
  /// Asks for one batch of these samples, which may repeat. Does not wait. Throws
  /// Error{bad_options} if there are no indices, more than Options::batch or than the source has
  /// samples, or an index that the source does not have; if sizes differ, also if the batch would be
  /// larger than Plan::slab_bytes, as with repeats of large images or with more samples than an epoch
  /// has positions. Throws
  /// Error{too_many_requests} while `max_outstanding` requests are not finished. Does nothing if
  /// finished().
  void ask(std::span<const std::uint64_t> indices);
  /// The same for indices in braces: ask({7}).
  void ask(std::initializer_list<std::uint64_t> indices) {
    ask(std::span(indices.begin(), indices.size()));
  }
  /// As ask(), but returns false while `max_outstanding` requests are not finished, and if
  /// finished().
  [[nodiscard]] bool try_ask(std::span<const std::uint64_t> indices);
  /// The same for indices in braces.
  [[nodiscard]] bool try_ask(std::initializer_list<std::uint64_t> indices) {
    return try_ask(std::span(indices.begin(), indices.size()));
  }

  /// The indices of all requests that are not finished, in the order asked. Those of batches in the
  /// queue and in hand are not finished.
  std::vector<std::uint64_t> outstanding() const;

 private:
  friend class Loader;
  explicit Requests(std::shared_ptr<api::RequestState> state) noexcept;
  api::RequestState& requests() const noexcept;
};

}  // namespace weir
