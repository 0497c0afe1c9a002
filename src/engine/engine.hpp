#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "conductor/batch_sizes.hpp"
#include "conductor/conductor.hpp"
#include "engine/context.hpp"
#include "engine/ready_queue.hpp"
#include "engine/row_worker.hpp"
#include "engine/strand.hpp"
#include "engine/watchdog.hpp"

namespace weir::engine {

/// One running stream: the strand that runs the conductor, the workers, the readers and the ready
/// queue. The constructor starts the threads. The destructor joins them, and every sample stays
/// counted.
class Engine final : private conductor::Actions {
 public:
  /// Throws std::system_error if a thread cannot start. Threads that started are joined.
  Engine(std::shared_ptr<Core> core, const StreamPlan& plan);
  ~Engine() override;
  /// Does the destructor's work early.
  void shut_down() noexcept;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // -- one consumer at a time
  enum class Lease : std::uint8_t { at_once, wait };  ///< whether to wait for a free lease
  /// The next batch, leased. Null if none is ready before `deadline` or none will follow. Throws
  /// Error{too_many_leases}, or the error that ended the stream.
  buffer::Slab* next(std::optional<Clock::time_point> deadline, Lease lease);
  /// Receives what next() would return or throw. It is called on the strand as soon as there is a
  /// result. Until then the strand is the consumer, and next() and ask() throw Error{bad_options}.
  using Taker = std::function<void(std::exception_ptr, buffer::Slab*)>;
  void ask(Taker taker);

  // -- any thread
  bool finished() const noexcept;
  /// Whether no batch is left to take. There may still be an error to throw.
  bool ended() const noexcept { return ready_.drained(); }
  void cancel() noexcept;
  /// Blocks until the conductor is at rest.
  void settle();

  /// Marks the calling thread as one that works for the stream or runs a callback for it.
  void adopt_this_thread() const noexcept;
  /// Throws Error{bad_options} on such a thread, because `call` would wait for itself. Call it
  /// before any lock is taken.
  void refuse_own_thread(const char* call) const;

  /// Changes the setting within the plan's limits. One caller at a time. Throws std::system_error
  /// if a thread cannot start, Error{budget_too_small} if the budget has no room for its records, or
  /// std::bad_alloc; then the setting is unchanged.
  void apply(const Setting& setting);

 private:
  std::uint64_t bytes_of(const conductor::BatchSlot& batch) override;
  std::optional<books::SlabId> fitting_slab(std::uint64_t bytes, std::uint64_t most) override;
  std::optional<books::SlabId> make_slab(std::uint64_t bytes) override;
  void free_idle_slabs() noexcept override { core_->pool->free_idle(); }
  std::uint64_t untaken_rows() noexcept override { return shared_.work_queue.untaken_rows(); }
  void trim_idle() noexcept override { shared_.work_queue.trim_idle(); }
  bool make_room() noexcept override { return core_->book->make_room(); }
  void open(books::SlabId slab, const conductor::BatchSlot& batch) override;
  void resume(books::Waiter& waiter) override {
    shared_.work_queue.resume(static_cast<Row&>(waiter));
  }
  void publish(books::SlabId slab) noexcept override;
  void halt() noexcept override;
  void end(conductor::End why) noexcept override;

  void step();
  void start(RowWorker::Duty duty, std::uint32_t number);
  void work(RowWorker& rows, std::uint32_t worker);
  void read_ahead(RowWorker& rows);
  void refuse_second_consumer(const char* call) WEIR_EXCLUDES(rest_mutex_);
  buffer::Slab* take(std::optional<Clock::time_point> deadline, Clock::time_point requested);
  /// Calls the taker if there is a result, or if the stream is `over`. Returns whether it called
  /// it.
  bool serve(bool over) noexcept WEIR_EXCLUDES(rest_mutex_);
  void note_handed(const buffer::Slab& slab, Clock::time_point requested,
                   Clock::time_point now) noexcept;
  void note_device_awaited();
  bool wait_for_lease(std::optional<Clock::time_point> deadline);
  /// The strand's work between steps. Returns when it is due next.
  std::optional<Clock::time_point> between_steps();
  void look_for_stalls(Clock::time_point now);
  void look_for_ends() noexcept;

  const std::shared_ptr<Core> core_;
  const std::shared_ptr<Strand> strand_;
  Shared shared_;
  std::optional<Watchdog> watchdog_;
  ReadyQueue ready_;
  std::optional<conductor::BatchSizes> batch_sizes_;  ///< used on the strand, only if sizes differ
  conductor::Conductor conductor_;  ///< begins the stream: later members must not throw
  std::atomic<bool> cancelled_{false}, failed_{false};
  std::atomic<std::uint32_t> present_{0};  ///< workers and readers that still run
  Mutex rest_mutex_;
  std::condition_variable rest_;
  std::uint64_t rest_requested_ WEIR_GUARDED_BY(rest_mutex_) = 0, rested_
                                                                  WEIR_GUARDED_BY(rest_mutex_) = 0;
  Taker taker_ WEIR_GUARDED_BY(rest_mutex_);  ///< of the pending ask(); empty if none
  Clock::time_point taker_requested_ WEIR_GUARDED_BY(rest_mutex_){};
  bool down_ = false;                        ///< shut_down() was called
  bool left_ = false;                        ///< used on the strand
  std::optional<Clock::time_point> handed_;  ///< used by the consumer: start of handed_batch_
  std::uint64_t handed_batch_ = 0;
  std::optional<Clock::time_point> device_awaited_;  ///< used by the consumer, for the trace
  std::optional<Clock::time_point> lease_awaited_ WEIR_GUARDED_BY(rest_mutex_);
  std::optional<Clock::time_point> stopping_;  ///< used on the strand, for the watchdog
  Clock::time_point next_look_{};              ///< used on the strand, for the watchdog
  std::uint32_t workers_begun_ = 0, readers_begun_ = 0;
  std::vector<std::unique_ptr<RowWorker>> rows_;
  std::vector<std::thread> threads_;
};

}  // namespace weir::engine
