#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "conductor/work_queue.hpp"
#include "engine/loader_stats.hpp"
#include "engine/row.hpp"
#include "engine/thread_activity.hpp"
#include "weir/plan.hpp"

namespace weir::engine {

/// The work queue of a stream's threads. conductor::WorkQueue decides what is taken next. This
/// class adds the mutex, the waiting, and the reports to the stats. Threads pull work, so events
/// never wait behind a decode in an executor. Lock order: this mutex, then the leaf mutex of the
/// books or of the stats.
class SharedWorkQueue {
 public:
  /// For Plan::start. Throws std::bad_alloc.
  SharedWorkQueue(books::Budget& budget, LoaderStats& stats, const Plan& plan);

  std::uint64_t rows_ahead() noexcept;
  /// Allocates what so many threads need. Throws std::bad_alloc.
  void make_room(std::uint32_t workers, std::uint32_t read_ahead);
  /// Sets the limits, for which there must be room. Workers below `workers` get work. At most
  /// `read_ahead` reads are outstanding.
  void limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept;

  using Queue = conductor::WorkQueue<RowPtr>;
  using Task = Queue::Task;

  // -- conductor
  void open(const conductor::RowRun& run);
  void resume(Row& sample);
  std::uint64_t untaken_rows() noexcept;
  /// Frees the blocks of idle workers and of unused samples.
  void trim_idle() noexcept;
  /// Makes all threads leave: take_work() and take_read() return empty.
  void halt() noexcept;
  /// Updates the stats, because the books may have changed what workers wait for.
  void note() noexcept;
  /// Oldest first.
  std::vector<ParkedSample> parked();

  // -- workers. `mine` may be trimmed while the worker waits. `reads`: of the task before. Empty: the worker
  // must leave. With Task::runs_low the thread that took it runs a step of the conductor.
  std::optional<Task> take_work(WorkerMemory& mine, std::uint32_t worker, std::uint32_t most_rows,
                                const conductor::Reads& reads = {});
  /// Returns the rows of a run that were not begun.
  void put_back(const conductor::RowRun& run);
  /// Keeps a sample whose bytes were refused until resume().
  void park(RowPtr sample);
  /// Returns an unused sample.
  void recycle(RowPtr sample) noexcept;

  // -- readers. `mine` as for workers.
  std::optional<Task> take_read(WorkerMemory& mine);
  /// The sample's bytes are read. A worker can decode it.
  void arrived(RowPtr sample, const conductor::Reads& reads);
  /// The row ended without a successful read. Another read can begin.
  void lost(Row& sample) noexcept;

  // -- both
  /// An unused sample. Throws std::bad_alloc.
  RowPtr fresh_row();

 private:
  /// Waits for a notification. Frees the unused blocks of `mine` if others wait for bytes.
  void wait(WorkerMemory& mine, bool& listed, std::condition_variable& for_it, Lock& lock)
      WEIR_REQUIRES(mutex_);
  /// A worker begins to wait, continues or ends. `counted`: whether it is in waiting_.
  void count_waiting(bool& counted, bool waits) noexcept WEIR_REQUIRES(mutex_);
  void note_waiting() noexcept WEIR_REQUIRES(mutex_);
  void wake_all() noexcept WEIR_REQUIRES(mutex_);
  void note_reads(const conductor::Reads& reads) noexcept WEIR_REQUIRES(mutex_);

  books::Budget& budget_;
  LoaderStats& stats_;
  Mutex mutex_;
  /// Workers above the limit wait separately, so they do not consume a wake-up meant for another
  /// worker.
  std::condition_variable work_, reads_, benched_;
  Queue queue_ WEIR_GUARDED_BY(mutex_);
  std::vector<RowPtr> free_ WEIR_GUARDED_BY(mutex_);
  std::uint32_t samples_ WEIR_GUARDED_BY(mutex_) = 0;  ///< made by make_room()
  const std::uint32_t slabs_, row_samples_;
  std::vector<WorkerMemory*> idle_ WEIR_GUARDED_BY(mutex_);
  bool halted_ WEIR_GUARDED_BY(mutex_) = false;
  std::uint32_t waiting_ WEIR_GUARDED_BY(mutex_) = 0;  ///< waiting workers, also those that left
  std::uint32_t noted_ WEIR_GUARDED_BY(mutex_) = 0;    ///< value of waiting_ that the stats know
  Hold noted_hold_ WEIR_GUARDED_BY(mutex_) = Hold::rows;
};

}  // namespace weir::engine
