#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/grown.hpp"
#include "base/machine/cpu_watch.hpp"
#include "base/machine/thread_cpus.hpp"
#include "base/mutex.hpp"
#include "buffer/slab.hpp"
#include "conductor/work_queue.hpp"
#include "engine/thread_stats.hpp"
#include "weir/report.hpp"

namespace weir::engine {

using conductor::Hold;

/// How a loader's streams spent their time. Thread-safe; the mutex is a leaf. Callers pass the
/// times. A time before the last one counts as the last one.
class LoaderStats {
 public:
  /// `max_queue_size`: the maximum queue depth.
  explicit LoaderStats(std::uint32_t max_queue_size);

  /// The stats of a worker. The first call makes them.
  ThreadStats& worker(std::uint32_t i);
  /// Bytes of a worker's stats.
  static constexpr std::uint64_t worker_bytes() noexcept {
    return sizeof(Worker) + ThreadStats::bytes(worker_stages);
  }
  /// Counts the CPU time of the calling worker while it exists.
  ThreadCpus::Member worker_cpu() noexcept { return ThreadCpus::Member(workers_cpu_); }
  /// The stats of all threads that are not workers.
  ThreadStats& others() noexcept { return others_; }
  /// Makes room for `depth` ready batches.
  void deepen(std::uint32_t depth);

  /// The workers inherit the calling thread's CPUs.
  void stream_opened(std::uint32_t workers, Clock::time_point now);
  void stream_ended(Clock::time_point now);
  /// The number of ready batches changes by `by`, +1 or -1.
  void ready_changed(int by, Clock::time_point now);
  /// From now on `count` workers are idle, all for the same reason.
  void workers_wait(std::uint32_t count, Hold why, Clock::time_point now);

  /// From now on the stream has `workers` workers.
  void staffed(std::uint32_t workers, Clock::time_point now);

  // -- the consumer
  /// next() was called, and waits for a lease that a device holds, until requested() is called.
  void awaits_device(Clock::time_point now);
  /// next() was called and a lease is free. `found`: a batch is ready.
  void requested(bool found, Clock::time_point now);
  /// next() returns a batch of `samples` samples, or none.
  void answered(std::optional<std::uint64_t> samples, Clock::time_point now);
  /// `waits_since`: start of the current wait for a batch. `handed`: when next() returned the last
  /// batch, empty if it was called since.
  struct Consumer {
    std::optional<Clock::time_point> waits_since, handed;
  };
  Consumer consumer() const;
  /// The consumer has released a batch.
  void released(const buffer::Slab& slab, Clock::time_point now) noexcept;
  /// A device has read a batch that it was given at slab.since. Returns when it began: then, or when
  /// it had read the batch before it.
  Clock::time_point copied(const buffer::Slab& slab, Clock::time_point now) noexcept;

  std::vector<StageStats> stages() const;
  /// Adds hits and misses.
  void add_to(CacheStats& cache) const;
  QueueStats queue(Clock::time_point now);
  Throughput throughput(Clock::time_point now) const;
  /// The number of recorded events besides the times of stages.
  std::uint64_t noted() const;

 private:
  std::vector<const ThreadStats*> threads() const WEIR_EXCLUDES(mutex_);
  /// Workers' time by its cause: storage, decode, memory.
  using Effort = std::array<double, 3>;
  struct Wait {
    Clock::time_point since;
    bool found;
    Effort before{};  ///< only if no batch was found
  };
  enum Held : std::uint8_t { storage_wait, memory_wait, idle };
  /// The stages that a worker runs. The other stages belong to batches.
  static constexpr std::size_t worker_stages = static_cast<std::size_t>(Stage::fit) + 1;
  /// A read can go on after its stream has ended, or after the number of workers was reduced. That
  /// time is no worker's time.
  struct Worker {
    ThreadStats stats{worker_stages};
    Clock::duration outside{};                   ///< time of reads while the worker was absent
    std::optional<Clock::duration> when_left{};  ///< its read time when it became absent
    Clock::duration reading(Clock::time_point now) const noexcept {
      return when_left.value_or(stats.reading(now)) - outside;
    }
  };

  /// Adds the time until now to its categories. Returns the instant that the sums refer to.
  Clock::time_point settle(Clock::time_point now) WEIR_REQUIRES(mutex_);
  /// From now on the first `workers` workers are present.
  void attend(std::uint32_t workers, Clock::time_point now) noexcept WEIR_REQUIRES(mutex_);
  Held held() const noexcept WEIR_REQUIRES(mutex_);
  WorkerTime worker_time(Clock::time_point now) const WEIR_REQUIRES(mutex_);
  Effort effort(Clock::time_point now) const WEIR_REQUIRES(mutex_);
  /// What the process has used and lost since its start.
  CpuUse cpu_now() const noexcept;
  /// The use while a stream was open, until now.
  CpuUse cpu(const CpuUse& now) const noexcept WEIR_REQUIRES(mutex_);
  /// The consumer's work on the last batch ends.
  void end_work(Clock::time_point now) WEIR_REQUIRES(mutex_);
  /// Adds the current waits to `counted`: the one for a batch divided by what the workers did during
  /// it.
  void add_wait(QueueStats& counted, Clock::time_point now) const WEIR_REQUIRES(mutex_);

  ThreadStats others_{stage_count};
  ThreadCpus workers_cpu_;
  const CpuWatch cpu_watch_;
  mutable Mutex mutex_;
  std::deque<Worker> workers_stats_ WEIR_GUARDED_BY(mutex_);
  std::uint32_t present_ WEIR_GUARDED_BY(mutex_) = 0;  ///< workers
  Grown<Clock::duration> occupied_ WEIR_GUARDED_BY(mutex_);
  const std::uint32_t levels_;  ///< of the deepest queue
  std::uint32_t depth_ WEIR_GUARDED_BY(mutex_) = 0;
  std::array<Clock::duration, 3> held_ WEIR_GUARDED_BY(mutex_){};  ///< worker-time by category
  Clock::duration worked_ WEIR_GUARDED_BY(mutex_){};               ///< all worker-time
  std::uint32_t workers_ WEIR_GUARDED_BY(mutex_) = 0, waiting_ WEIR_GUARDED_BY(mutex_) = 0;
  Hold why_ WEIR_GUARDED_BY(mutex_) = Hold::rows;
  Clock::duration open_for_ WEIR_GUARDED_BY(mutex_){};
  Clock::time_point settled_ WEIR_GUARDED_BY(mutex_){};
  std::optional<Wait> wait_ WEIR_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> device_awaited_ WEIR_GUARDED_BY(mutex_);
  Clock::time_point copied_until_ WEIR_GUARDED_BY(mutex_){};
  QueueStats counted_ WEIR_GUARDED_BY(mutex_);  ///< the consumer's calls, and its finished waits
  CpuUse cpu_before_ WEIR_GUARDED_BY(mutex_);   ///< at the start of the open stream
  std::array<double, 512> last_consumer_s_ WEIR_GUARDED_BY(mutex_){};  ///< a ring
  std::optional<Clock::time_point> handed_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t noted_ WEIR_GUARDED_BY(mutex_) = 0;
  std::optional<Clock::time_point> opened_ WEIR_GUARDED_BY(mutex_), ended_ WEIR_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> stream_opened_ WEIR_GUARDED_BY(mutex_);
  std::optional<Clock::duration> first_batch_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::engine
