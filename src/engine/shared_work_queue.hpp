#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "conductor/work_queue.hpp"
#include "engine/loader_stats.hpp"
#include "engine/sample.hpp"
#include "engine/thread_activity.hpp"

namespace weir::engine {

/// The work queue of a stream's threads: conductor::WorkQueue decides what is taken next; the board adds
/// the mutex, the waiting and what the clocks are told of it. Workers pull; nothing is pushed at them, so
/// there is no executor behind which an event could queue. Lock order: the board's mutex, then the leaf
/// mutex of the books or of the clocks.
class SharedWorkQueue {
 public:
  /// `low` is woken when fewer than rows_ahead() rows are left to take.
  SharedWorkQueue(books::Book& book, LoaderStats& stats, std::uint32_t workers,
                  std::uint32_t read_ahead, std::uint32_t slabs, std::shared_ptr<Wakeable> low);

  std::uint64_t rows_ahead() noexcept;
  /// From now on: workers below `workers` find work, `read_ahead` reads are begun ahead. At most the
  /// numbers of the constructor.
  void limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept;

  using Queue = conductor::WorkQueue<SamplePtr>;
  using Task = Queue::Task;

  // -- conductor
  void open(const conductor::RowRun& run);
  void resume(Sample& sample);
  std::uint64_t untaken_rows() noexcept;
  /// Frees the blocks of idle workers and of samples nobody uses.
  void trim_idle() noexcept;
  /// Everyone is to leave; take_* return empty.
  void halt() noexcept;
  /// The books may have changed what workers wait for.
  void note() noexcept;
  /// Oldest first.
  std::vector<ParkedSample> parked();

  // -- workers. `mine` may be trimmed while it waits. Empty: leave.
  std::optional<Task> take_work(WorkerMemory& mine, std::uint32_t worker, std::uint32_t most_rows);
  /// Rows of a run that were not begun.
  void put_back(const conductor::RowRun& run);
  /// A refused sample: kept here until resume().
  void park(SamplePtr sample);
  /// A sample that is done with, for others to use.
  void recycle(SamplePtr sample) noexcept;

  // -- readers. `mine` as above.
  std::optional<Task> take_read(WorkerMemory& mine);
  /// Its bytes are there, for a worker to decode.
  void arrived(SamplePtr sample);
  /// Its row ended without a read that succeeded: another read may begin.
  void lost(Sample& sample) noexcept;

  // -- both
  /// A sample to fill. Throws std::bad_alloc.
  SamplePtr fresh_sample();

 private:
  /// Until notified; what `mine` keeps goes to those that wait for bytes.
  void wait(WorkerMemory& mine, bool& listed, std::condition_variable& for_it, Lock& lock)
      WEIR_REQUIRES(mutex_);
  /// A worker begins to wait, goes on or ends; `counted`: whether it is among waiting_.
  void count_waiting(bool& counted, bool waits) noexcept WEIR_REQUIRES(mutex_);
  void note_waiting() noexcept WEIR_REQUIRES(mutex_);
  void wake_all() noexcept WEIR_REQUIRES(mutex_);

  books::Book& book_;
  LoaderStats& stats_;
  const std::shared_ptr<Wakeable> low_;
  Mutex mutex_;
  /// Those above the limit wait apart: a wake-up for one worker must not end with them.
  std::condition_variable work_, reads_, benched_;
  Queue queue_ WEIR_GUARDED_BY(mutex_);
  std::vector<SamplePtr> free_ WEIR_GUARDED_BY(mutex_);
  std::vector<WorkerMemory*> idle_ WEIR_GUARDED_BY(mutex_);
  bool halted_ WEIR_GUARDED_BY(mutex_) = false;
  std::uint32_t waiting_ WEIR_GUARDED_BY(mutex_) = 0;  ///< workers, those that left among them
  std::uint32_t noted_ WEIR_GUARDED_BY(mutex_) = 0;    ///< of which the clocks know
  Hold noted_hold_ WEIR_GUARDED_BY(mutex_) = Hold::rows;
};

}  // namespace weir::engine
