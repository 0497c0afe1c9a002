#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "conductor/batch_sizes.hpp"
#include "conductor/conductor.hpp"
#include "engine/context.hpp"
#include "engine/handoff.hpp"
#include "engine/row_worker.hpp"
#include "engine/strand.hpp"
#include "engine/watchdog.hpp"

namespace weir::engine {

/// One running stream: the strand that runs the conductor, the workers, the readers and the handoff.
/// The constructor starts the threads. The destructor joins them, and every sample stays
/// counted.
class Engine final : private conductor::Actions {
 public:
  /// `loader` must outlive this object. Throws std::system_error if a thread cannot start. Threads
  /// that started are joined.
  Engine(LoaderState& loader, std::shared_ptr<const conductor::Supply> supply,
         const source::Sampler& order);
  ~Engine() override;
  /// Does the destructor's work early.
  void shut_down() noexcept;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// The consumer's side.
  Handoff& handoff() noexcept { return handoff_; }

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
  std::optional<books::SlabId> make_slab(std::uint64_t bytes) override;
  void free_idle_slabs() noexcept override { loader_.pool->free_idle(); }
  std::uint64_t untaken_rows() noexcept override { return shared_.work_queue.untaken_rows(); }
  void trim_idle() noexcept override { shared_.work_queue.trim_idle(); }
  void open(books::SlabId id, const conductor::BatchSlot& batch) override;
  void resume(books::Waiter& waiter) override {
    shared_.work_queue.resume(static_cast<Row&>(waiter));
  }
  void publish(books::SlabId slab) noexcept override;
  void halt() noexcept override;
  void end(conductor::End why) noexcept override;

  /// A step of the conductor. On the strand's own thread it also calls the taker of an ask().
  void step(bool own_thread);
  /// Starts the threads that the setting has beyond those that were started, and notes the setting.
  void start_threads(const Setting& setting);
  void start(RowWorker::Duty duty, std::uint32_t number);
  void work(RowWorker& rows, std::uint32_t worker);
  void read_ahead(RowWorker& rows);
  /// The strand's work between steps. Returns when it is due next.
  std::optional<Clock::time_point> between_steps();
  void look_for_stalls(Clock::time_point now);

  LoaderState& loader_;
  const std::shared_ptr<Strand> strand_;
  Shared shared_;
  std::optional<Watchdog> watchdog_;
  Handoff handoff_;
  std::optional<conductor::BatchSizes> batch_sizes_;  ///< used on the strand, only if sizes vary
  conductor::Conductor conductor_;             ///< begins the stream: later members must not throw
  std::atomic<std::uint32_t> present_{0};      ///< workers and readers that still run
  bool down_ = false;                          ///< shut_down() was called
  bool left_ = false;                          ///< used on the strand
  std::optional<Clock::time_point> stopping_;  ///< used on the strand, for the watchdog
  Clock::time_point next_look_{};              ///< used on the strand, for the watchdog
  std::uint32_t workers_begun_ = 0, readers_begun_ = 0;
  std::vector<std::unique_ptr<RowWorker>> rows_;
  std::vector<std::thread> threads_;
};

}  // namespace weir::engine
