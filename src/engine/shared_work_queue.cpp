#include "engine/shared_work_queue.hpp"

#include <algorithm>
#include <utility>

namespace weir::engine {
namespace {

/// Three samples for each thread (its own, a spare one, a parked one) and those that have been
/// read. They are allocated in advance, so a running stream allocates only charged memory.
std::uint32_t most_samples(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  return 3 * (workers + read_ahead) + read_ahead;
}

}  // namespace

SharedWorkQueue::SharedWorkQueue(books::Budget& budget, LoaderStats& stats, const Plan& plan)
    : budget_(budget),
      stats_(stats),
      queue_(plan.start.workers, plan.start.read_ahead, 0, 0),
      slabs_(plan.slabs),
      row_samples_(1 + plan.partners) {
  make_room(plan.start.workers, plan.start.read_ahead);
}

void SharedWorkQueue::make_room(std::uint32_t workers, std::uint32_t read_ahead) {
  const auto samples = most_samples(workers, read_ahead);
  Lock lock(mutex_);
  free_.reserve(samples);
  for (; samples_ < samples; ++samples_)
    free_.push_back(std::make_unique<Row>(budget_, row_samples_));
  idle_.reserve(workers + read_ahead);
  queue_.reserve(workers, read_ahead, slabs_, samples);
}

// ---- conductor -------------------------------------------------------------------------------

void SharedWorkQueue::open(const conductor::RowRun& run) {
  std::uint32_t workers = 0, readers = 0;
  bool all = false;
  {
    Lock lock(mutex_);
    queue_.add(run);
    note_waiting();
    workers = queue_.workers_for(run.count);
    all = workers >= waiting_;
    readers = queue_.readers_for(run.count);
  }
  // They need the mutex, so it is released first.
  if (all && workers > 0) work_.notify_all();
  for (; !all && workers > 0; --workers) work_.notify_one();
  for (; readers > 0; --readers) reads_.notify_one();
}

std::uint64_t SharedWorkQueue::rows_ahead() noexcept {
  Lock lock(mutex_);
  return queue_.rows_ahead();
}

void SharedWorkQueue::limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  {
    Lock lock(mutex_);
    queue_.limit(workers, read_ahead);
    stats_.staffed(workers, Clock::now());
    wake_all();
    benched_.notify_all();
  }
  trim_idle();
}

void SharedWorkQueue::resume(Row& sample) {
  Lock lock(mutex_);
  if (!queue_.resume(sample)) return;  // the queue was halted meanwhile
  note_waiting();
  wake_all();
}

void SharedWorkQueue::trim_idle() noexcept {
  Lock lock(mutex_);
  for (WorkerMemory* const memory : idle_) memory->trim();
  for (const auto& sample : free_) sample->encoded.trim();
}

void SharedWorkQueue::halt() noexcept {
  Lock lock(mutex_);
  halted_ = true;
  queue_.halt([](Row& sample) { sample.release_kept(); });
  note_waiting();
  wake_all();
  benched_.notify_all();
}

std::uint64_t SharedWorkQueue::untaken_rows() noexcept {
  Lock lock(mutex_);
  return queue_.untaken_rows();
}

void SharedWorkQueue::note() noexcept {
  Lock lock(mutex_);
  note_waiting();
}

std::vector<ParkedSample> SharedWorkQueue::parked() {
  Lock lock(mutex_);
  std::vector<ParkedSample> parked;
  // Clang 14 does not compile std::views::reverse of libstdc++ 12.
  for (auto at = queue_.parked().rbegin(); at != queue_.parked().rend(); ++at)
    parked.push_back(
        {static_cast<const books::Claim&>(**at), (*at)->own().index, (*at)->parked_at});
  return parked;
}

// ---- waiting ---------------------------------------------------------------------------------

void SharedWorkQueue::wake_all() noexcept {
  work_.notify_all();
  reads_.notify_all();
}

void SharedWorkQueue::wait(WorkerMemory& mine, bool& listed, std::condition_variable& for_it,
                           Lock& lock) {
  if (budget_.someone_waits()) mine.trim();
  if (!std::exchange(listed, true)) idle_.push_back(&mine);
  for_it.wait(lock.native());
}

void SharedWorkQueue::note_waiting() noexcept {
  const auto why = halted_ ? Hold::rows : queue_.hold(budget_.someone_waits());
  if (waiting_ == noted_ && (waiting_ == 0 || why == noted_hold_)) return;
  noted_ = waiting_;
  noted_hold_ = why;
  stats_.workers_wait(waiting_, why, Clock::now());
}

void SharedWorkQueue::count_waiting(bool& counted, bool waits) noexcept {
  if (counted != waits) waits ? ++waiting_ : --waiting_;
  counted = waits;
  note_waiting();
}

void SharedWorkQueue::note_reads(const conductor::Reads& reads) noexcept {
  if (queue_.note_reads(reads)) wake_all();
}

// ---- workers and readers ---------------------------------------------------------------------

std::optional<SharedWorkQueue::Task> SharedWorkQueue::take_work(WorkerMemory& mine,
                                                                std::uint32_t worker,
                                                                std::uint32_t most_rows,
                                                                const conductor::Reads& reads) {
  std::optional<Task> task;
  Lock lock(mutex_);
  note_reads(reads);
  bool listed = false, counted = false;
  while (!halted_) {
    const bool benched = worker >= queue_.workers();
    if (!benched && (task = queue_.next_work(most_rows))) break;
    if (benched) mine.trim();
    count_waiting(counted, !benched);
    wait(mine, listed, benched ? benched_ : work_, lock);
  }
  if (listed) idle_.erase(std::find(idle_.begin(), idle_.end(), &mine));
  // A worker that leaves is idle until the end of the stream.
  count_waiting(counted, !task && worker < queue_.workers());
  if (task && task->sample && queue_.may_begin_read()) reads_.notify_one();
  return task;
}

std::optional<SharedWorkQueue::Task> SharedWorkQueue::take_read(WorkerMemory& mine) {
  std::optional<Task> task;
  Lock lock(mutex_);
  bool listed = false;
  while (!halted_ && !(task = queue_.next_read())) wait(mine, listed, reads_, lock);
  if (listed) idle_.erase(std::find(idle_.begin(), idle_.end(), &mine));
  return task;
}

void SharedWorkQueue::put_back(const conductor::RowRun& run) {
  Lock lock(mutex_);
  queue_.add(run);
  wake_all();
}

void SharedWorkQueue::park(RowPtr sample) {
  Row& waiter = *sample;
  {
    Lock lock(mutex_);
    if (halted_) sample->release_kept();
    queue_.park(std::move(sample));
    note_waiting();
    if (queue_.may_begin_read()) reads_.notify_one();
  }
  budget_.park(waiter);
}

void SharedWorkQueue::arrived(RowPtr sample, const conductor::Reads& reads) {
  Lock lock(mutex_);
  note_reads(reads);
  if (halted_) sample->release_kept();
  queue_.arrived(std::move(sample));
  work_.notify_one();
}

void SharedWorkQueue::lost(Row& sample) noexcept {
  Lock lock(mutex_);
  if (!queue_.end_read(sample)) return;
  note_waiting();
  reads_.notify_one();
}

void SharedWorkQueue::recycle(RowPtr sample) noexcept {
  if (budget_.someone_waits()) sample->encoded.trim();
  Lock lock(mutex_);
  free_.push_back(std::move(sample));
}

RowPtr SharedWorkQueue::fresh_row() {
  Lock lock(mutex_);
  if (free_.empty()) return std::make_unique<Row>(budget_, row_samples_);
  auto sample = std::move(free_.back());
  free_.pop_back();
  return sample;
}

}  // namespace weir::engine
