#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "weir/batch.hpp"
#include "weir/export.hpp"
#include "weir/stream.hpp"

namespace weir {

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
/// ask(), try_ask(), outstanding(), cancel() and finished() from any thread; next() and try_next()
/// by one consumer thread at a time. The destructor, calls from the loader's own threads and calls
/// after fork() are as described for Stream. Batches may outlive this object.
class WEIR_API Requests {
 public:
  /// A moved-from object can only be assigned to or destroyed.
  Requests(Requests&&) noexcept;
  Requests& operator=(Requests&&) noexcept;
  /// Cancels, and joins the work.
  ~Requests();

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

  /// Waits for the oldest batch that was asked for and not taken. Empty at once if there is none,
  /// and if finished(). Throws as Stream::next().
  [[nodiscard]] std::optional<Batch> next();
  /// Waits at most for `timeout`, also for an ask by another thread and for a free lease. Empty if
  /// there is no batch in time, or if finished(). Throws what ended the stream, as next().
  [[nodiscard]] std::optional<Batch> next(std::chrono::steady_clock::duration timeout);
  /// Returns at once. Empty if no batch is ready or if finished(). Throws as next().
  [[nodiscard]] std::optional<Batch> try_next();
  /// The indices of all requests that are not finished, in the order asked. Those of batches in the
  /// queue and in hand are not finished.
  std::vector<std::uint64_t> outstanding() const;
  /// Whether no further batch will be delivered: after cancel(), or after next() has thrown the
  /// error of a sample.
  bool finished() const noexcept;
  /// Stops. Batches that were asked for and not taken do not come; outstanding() still has them.
  /// Returns at once. Any number of times.
  void cancel() noexcept;

  using Iterator = NextIterator<Requests, Batch>;  ///< iterates over what was asked for
  /// For `for (weir::Batch& batch : requests)`: until all that was asked for is taken. The loop may
  /// ask for more.
  Iterator begin() { return Iterator(*this); }
  /// The end, which is reached when next() returns nothing.
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  friend class Loader;
  explicit Requests(std::shared_ptr<api::RequestState> state) noexcept;
  std::shared_ptr<api::RequestState> state_;
};

}  // namespace weir
