#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "engine/context.hpp"
#include "engine/ready_queue.hpp"

namespace weir::engine {

/// Passes the batches of one stream to its consumer.
class Handoff {
 public:
  explicit Handoff(Shared& shared) noexcept : shared_(shared), loader_(shared.loader) {}
  Handoff(const Handoff&) = delete;
  Handoff& operator=(const Handoff&) = delete;

  // -- one consumer at a time
  enum class Lease : std::uint8_t { at_once, wait };  ///< whether to wait for a free lease
  /// The next batch, leased. Null if none is ready before `deadline` or none will follow, and at once
  /// if nobody has asked for another one; with Lease::wait it waits for an ask, too. Throws
  /// Error{too_many_leases}, or the error that ended the stream.
  buffer::Slab* next(std::optional<Clock::time_point> deadline, Lease lease);
  /// Receives what next() would return or throw. It is called on the strand as soon as there is a
  /// result. Until then the strand is the consumer, and next() and ask() throw Error{bad_options}.
  using Taker = std::function<void(std::exception_ptr, buffer::Slab*)>;
  void ask(Taker taker);

  // -- any thread
  bool finished() const noexcept;
  void cancel() noexcept;
  bool cancelled() const noexcept { return cancelled_.load(); }
  /// Blocks until the conductor is at rest.
  void settle();
  /// Ends the leases whose ends are reached.
  void look_for_ends() noexcept;

  // -- the strand
  /// Whether an ask() has no result yet.
  bool has_taker() WEIR_EXCLUDES(mutex_);
  void publish(buffer::Slab& slab) noexcept;
  void close() noexcept { ready_.close(); }
  /// Calls the taker if there is a result, or if the stream is `over`. Returns whether it called
  /// it.
  bool serve(bool over) noexcept WEIR_EXCLUDES(mutex_);
  /// The number of calls of settle() so far.
  std::uint64_t rests_requested() WEIR_EXCLUDES(mutex_);
  /// A step has ended, in which so many calls of settle() were known. `at_rest`: they may return.
  void step_ended(bool at_rest, std::uint64_t requested) WEIR_EXCLUDES(mutex_);
  /// Whether a batch is asked for that was not taken. Always true of a schedule.
  bool has_request() const noexcept;
  /// Since when the consumer waits for one of its own leases.
  std::optional<Clock::time_point> lease_awaited() WEIR_EXCLUDES(mutex_);
  /// Discards what nobody took.
  void discard() noexcept;

 private:
  bool may_lease() const noexcept { return loader_.book->leased() < loader_.plan.max_leases; }
  void refuse_second_consumer(const char* call) WEIR_EXCLUDES(mutex_);
  buffer::Slab* take(std::optional<Clock::time_point> deadline, Clock::time_point requested);
  void note_handed(const buffer::Slab& slab, Clock::time_point requested,
                   Clock::time_point now) noexcept;
  void note_device_awaited();
  template <class Condition>
  bool wait_until(Lock& lock, std::optional<Clock::time_point> deadline, Condition condition)
      WEIR_REQUIRES(mutex_);
  bool wait_for_request(std::optional<Clock::time_point> deadline) WEIR_EXCLUDES(mutex_);
  bool wait_for_lease(std::optional<Clock::time_point> deadline) WEIR_EXCLUDES(mutex_);
  /// Since when the consumer waits for one of its own leases; empty: it does not.
  void await_lease(std::optional<Clock::time_point> since) WEIR_REQUIRES(mutex_);

  Shared& shared_;
  LoaderState& loader_;
  ReadyQueue ready_;
  std::atomic<bool> cancelled_{false};
  Mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t rests_requested_ WEIR_GUARDED_BY(mutex_) = 0, rested_ WEIR_GUARDED_BY(mutex_) = 0;
  Taker taker_ WEIR_GUARDED_BY(mutex_);  ///< of the pending ask(); empty if none
  Clock::time_point taker_requested_ WEIR_GUARDED_BY(mutex_){};
  std::optional<Clock::time_point> lease_awaited_ WEIR_GUARDED_BY(mutex_);
  std::atomic<std::uint64_t> taken_{0};  ///< batches
  // Used by the consumer, for the trace.
  std::optional<Clock::time_point> handed_;  ///< start of handed_batch_
  std::uint64_t handed_batch_ = 0;
  std::optional<Clock::time_point> device_awaited_;
};

}  // namespace weir::engine
