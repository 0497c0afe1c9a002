#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "conductor/pull.hpp"
#include "conductor/read_pace.hpp"
#include "conductor/row_feed.hpp"

namespace weir::conductor {

/// What idle workers wait for.
enum class Hold : std::uint8_t {
  rows,   ///< rows to work on: every queue slot is taken, or no samples are left
  reads,  ///< reads that are under way
  bytes,  ///< bytes of a refused sample
  slab,   ///< bytes of a slab
};

/// Work that no thread has taken, and the rule for what an idle worker or reader takes next. The
/// engine guards it with a mutex. The simulation uses it without one. It has no thread, lock or
/// clock.
///
///   read_ahead = 0   workers take runs of fresh rows, read and decode them
///   read_ahead = n   readers take fresh rows, at most n of them read or being read; workers take
///                    samples that have arrived. While reads are quick, as with read_ahead = 0.
///
/// Both take the oldest first. A parked sample is a barrier: nothing younger is taken until it
/// resumes.
///
/// `SamplePtr` is an owning or a plain pointer to a `Sample`. The queue reads `row` and
/// `has_bytes`. The reader sets `ahead`, and the queue clears it: the sample is an outstanding read
/// until a worker takes it. Memory for what is reserved is allocated in advance; more costs an
/// allocation.
template <class SamplePtr>
class WorkQueue {
 public:
  using Sample = std::remove_reference_t<decltype(*std::declval<SamplePtr&>())>;
  /// The rows of one batch, or one sample to continue.
  struct Task {
    RowRun run{};
    SamplePtr sample{};
    bool runs_low = false;  ///< fewer than rows_ahead() rows are now left: wake the conductor
  };

  WorkQueue(std::uint32_t workers, std::uint32_t read_ahead, std::uint32_t slabs,
            std::size_t samples)
      : workers_(workers), read_ahead_(read_ahead), feed_(0) {
    reserve(workers, read_ahead, slabs, samples);
  }
  /// Reserves memory for up to so many threads, slabs and samples. A batch is opened only while few
  /// rows are untaken, so threads bound the number of runs, too.
  void reserve(std::uint32_t workers, std::uint32_t read_ahead, std::uint32_t slabs,
               std::size_t samples) {
    const auto open = std::min<std::uint64_t>(slabs, conductor::rows_ahead(workers, read_ahead));
    feed_.reserve(static_cast<std::size_t>(open + workers + 1));
    for (auto* list : {&to_decode_, &to_read_, &parked_}) list->reserve(samples);
  }

  /// Changes the limits.
  void limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
    workers_ = workers;
    read_ahead_ = read_ahead;
  }
  std::uint32_t workers() const noexcept { return workers_; }
  std::uint64_t rows_ahead() const noexcept { return conductor::rows_ahead(workers_, read_ahead_); }
  std::uint64_t untaken_rows() const noexcept { return feed_.rows(); }
  /// Whether a reader may take a fresh row. If a worker put it back, it can be older than all samples
  /// that wait for bytes or for a reader. They wait for it, so it is taken whatever is outstanding.
  bool may_begin_read() const noexcept {
    const auto waiting = std::min(barrier(), oldest(to_read_));
    const bool older = waiting != books::no_row && feed_.front() < waiting;
    return !workers_read() && (outstanding_ < read_ahead_ || older);
  }
  /// Whether workers take fresh rows.
  bool workers_read() const noexcept { return read_ahead_ == 0 || pace_.quick(); }
  /// True if other threads take the fresh rows from now on. Reads without readers do not count.
  bool note_reads(const Reads& reads) noexcept { return read_ahead_ > 0 && pace_.add(reads); }
  /// The number of workers that find some of `rows` new rows.
  std::uint32_t workers_for(std::uint32_t rows) const noexcept {
    const auto least = least_rows(most_rows_);
    return workers_read() ? std::min(workers_, rows / least + (rows % least > 0 ? 1 : 0)) : 0;
  }
  /// The number of readers that find one of `rows` new rows.
  std::uint32_t readers_for(std::uint32_t rows) const noexcept {
    return workers_read() ? 0 : std::min(rows, read_ahead_ - std::min(read_ahead_, outstanding_));
  }

  /// Adds the rows of a new batch, or the rows of a run that were not begun.
  void add(const RowRun& run) { feed_.add(run); }

  /// The next task of a worker. A run has at most `most_rows` rows.
  std::optional<Task> next_work(std::uint32_t most_rows) {
    const auto fresh = workers_read() ? feed_.front() : books::no_row;
    if (auto sample = take_before(to_decode_, fresh)) {
      end_read(**sample);
      return Task{{}, std::move(*sample)};
    }
    if (!workers_read()) return std::nullopt;
    most_rows_ = most_rows;
    return take_fresh(run_share(feed_.front_count(), workers_, most_rows));
  }

  /// The next task of a reader.
  std::optional<Task> next_read() {
    if (auto sample = take_before(to_read_, feed_.front())) return Task{{}, std::move(*sample)};
    if (!may_begin_read()) return std::nullopt;
    auto task = take_fresh(1);
    if (task) ++outstanding_;
    return task;
  }

  /// The sample has been read. A worker can decode it.
  void arrived(SamplePtr sample) { insert(to_decode_, std::move(sample)); }
  /// The sample is no longer an outstanding read. False if it was not one.
  bool end_read(Sample& sample) noexcept {
    if (!std::exchange(sample.ahead, false)) return false;
    --outstanding_;
    return true;
  }

  /// Keeps a sample whose bytes were refused.
  void park(SamplePtr sample) { insert(parked_, std::move(sample)); }
  /// The sample has its bytes. False if it is not parked.
  bool resume(const Sample& sample) {
    const auto position = std::find_if(parked_.begin(), parked_.end(),
                                       [&](const SamplePtr& other) { return &*other == &sample; });
    if (position == parked_.end()) return false;
    SamplePtr taken = std::move(*position);
    parked_.erase(position);
    auto& next = taken->has_bytes || read_ahead_ == 0 ? to_decode_ : to_read_;
    insert(next, std::move(taken));
    return true;
  }
  /// Youngest first.
  const std::vector<SamplePtr>& parked() const noexcept { return parked_; }

  /// What idle workers wait for.
  Hold hold(bool bytes_awaited) const noexcept {
    if (!parked_.empty()) return Hold::bytes;
    if (bytes_awaited) return Hold::slab;
    const bool unread = !workers_read() && feed_.rows() > 0;
    return outstanding_ > 0 || !to_read_.empty() || unread ? Hold::reads : Hold::rows;
  }

  /// Removes all rows, and calls `each` for every sample in the queue.
  template <class Each>
  void halt(Each each) noexcept {
    feed_.clear();
    for (auto* const list : {&to_decode_, &to_read_, &parked_})
      for (const auto& sample : *list) each(*sample);
  }

 private:
  using Samples = std::vector<SamplePtr>;  ///< youngest first, so that taking the oldest is O(1)

  static void insert(Samples& samples, SamplePtr sample) {
    const auto position = std::find_if(samples.begin(), samples.end(), [&](const SamplePtr& other) {
      return other->row < sample->row;
    });
    samples.insert(position, std::move(sample));
  }
  static books::RowKey oldest(const Samples& samples) noexcept {
    return samples.empty() ? books::no_row : samples.back()->row;
  }
  books::RowKey barrier() const noexcept { return oldest(parked_); }
  /// The oldest sample, if it is older than `fresh` and the barrier.
  std::optional<SamplePtr> take_before(Samples& samples, books::RowKey fresh) noexcept {
    if (samples.empty() || !(samples.back()->row < std::min(fresh, barrier()))) return std::nullopt;
    std::optional<SamplePtr> oldest(std::move(samples.back()));
    samples.pop_back();
    return oldest;
  }
  std::optional<Task> take_fresh(std::uint32_t most_rows) noexcept {
    const auto run = feed_.take(most_rows, barrier());
    if (!run) return std::nullopt;
    const bool low = feed_.rows() < rows_ahead() && feed_.rows() + run->count >= rows_ahead();
    return Task{*run, {}, low};
  }

  std::uint32_t workers_, read_ahead_;
  std::uint32_t most_rows_ = 1;    ///< of the worker that came last
  std::uint32_t outstanding_ = 0;  ///< reads that readers took and whose sample no worker has taken
  ReadPace pace_;
  RowFeed feed_;
  Samples to_decode_;  ///< arrived or resumed
  Samples to_read_;    ///< resumed before they were read
  Samples parked_;
};

}  // namespace weir::conductor
