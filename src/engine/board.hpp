#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "base/wakeable.hpp"
#include "conductor/row_feed.hpp"
#include "engine/clocks.hpp"
#include "engine/sample.hpp"

namespace weir::engine {

/// Work that nobody has taken yet. Workers pull; nothing is pushed at them, so there is no executor
/// behind which an event could queue.
///
///   read_ahead = 0   workers take runs of fresh rows, read and decode them
///   read_ahead = n   readers take fresh rows, at most n of them read or being read; workers take
///                    what has arrived
///
/// Oldest first in either case. A parked sample is a barrier: nothing younger is taken until it
/// goes on. Both numbers may change at any time, up to those of the constructor. Lock order: the
/// board's mutex, then the leaf mutex of the books or of the clocks.
class Board {
 public:
  /// `low` is woken when fewer than rows_ahead() rows are left to take.
  Board(books::Book& book, Clocks& clocks, std::uint32_t workers, std::uint32_t read_ahead,
        std::uint32_t slabs, std::shared_ptr<Wakeable> low);

  std::uint64_t rows_ahead() noexcept;
  /// From now on: workers below `workers` find work, `read_ahead` reads are begun ahead.
  void limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept;

  /// Rows of one batch, or one sample to go on with.
  struct Task {
    conductor::RowRun run{};
    SamplePtr sample;
  };

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
  /// A sample that was refused bytes.
  struct Parked {
    books::RowKey row;
    std::uint64_t index = 0;
    Account account = Account::encoded;
    std::uint64_t bytes = 0;
    Clock::time_point since{};
  };
  /// Oldest first.
  std::vector<Parked> parked();

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
  using Samples = std::vector<SamplePtr>;
  static void insert(Samples& samples, SamplePtr sample);  ///< youngest first
  books::RowKey barrier() const noexcept WEIR_REQUIRES(mutex_);
  SamplePtr take_oldest(Samples& samples) noexcept WEIR_REQUIRES(mutex_);
  std::optional<Task> next_work(std::uint32_t most_rows) WEIR_REQUIRES(mutex_);
  std::optional<Task> next_read() WEIR_REQUIRES(mutex_);
  /// Until notified; what `mine` keeps goes to those that wait for bytes.
  void wait(WorkerMemory& mine, bool& listed, std::condition_variable& for_it, Lock& lock)
      WEIR_REQUIRES(mutex_);
  void no_longer_ahead(Sample& sample) noexcept WEIR_REQUIRES(mutex_);
  /// A worker begins to wait, goes on or ends; `counted`: whether it is among waiting_.
  void count_waiting(bool& counted, bool waits) noexcept WEIR_REQUIRES(mutex_);
  Hold hold() const noexcept WEIR_REQUIRES(mutex_);
  void note_waiting() noexcept WEIR_REQUIRES(mutex_);
  std::optional<conductor::RowRun> take_fresh(std::uint32_t most_rows) WEIR_REQUIRES(mutex_);

  books::Book& book_;
  Clocks& clocks_;
  const std::shared_ptr<Wakeable> low_;
  Mutex mutex_;
  std::uint32_t workers_ WEIR_GUARDED_BY(mutex_), read_ahead_ WEIR_GUARDED_BY(mutex_);
  std::uint64_t rows_ahead_ WEIR_GUARDED_BY(mutex_);
  /// Those above the limit wait apart: a wake-up for one worker must not end with them.
  std::condition_variable work_, reads_, benched_;
  conductor::RowFeed feed_ WEIR_GUARDED_BY(mutex_);
  Samples to_decode_ WEIR_GUARDED_BY(mutex_);  ///< arrived or resumed
  Samples to_read_ WEIR_GUARDED_BY(mutex_);    ///< resumed before they were read
  Samples parked_ WEIR_GUARDED_BY(mutex_);
  Samples free_ WEIR_GUARDED_BY(mutex_);
  std::vector<WorkerMemory*> idle_ WEIR_GUARDED_BY(mutex_);
  /// Reads begun, not yet taken by a worker.
  std::uint32_t outstanding_ WEIR_GUARDED_BY(mutex_) = 0;
  bool halted_ WEIR_GUARDED_BY(mutex_) = false;
  std::uint32_t waiting_ WEIR_GUARDED_BY(mutex_) = 0;  ///< workers, those that left among them
  std::uint32_t noted_ WEIR_GUARDED_BY(mutex_) = 0;    ///< of which the clocks know
  Hold noted_hold_ WEIR_GUARDED_BY(mutex_) = Hold::rows;
};

}  // namespace weir::engine
