#include "engine/board.hpp"

#include <algorithm>
#include <ranges>
#include <utility>

namespace weir::engine {
namespace {

/// Two to each thread, its own and a spare one, one more where it has parked, and those that have been
/// read: made beforehand, so that a stream at work allocates what is on the books alone.
std::uint32_t most_samples(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  return 3 * (workers + read_ahead) + read_ahead;
}

}  // namespace

Board::Board(books::Book& book, Clocks& clocks, std::uint32_t workers, std::uint32_t read_ahead,
             std::uint32_t slabs, std::shared_ptr<Wakeable> low)
    : book_(book),
      clocks_(clocks),
      low_(std::move(low)),
      queue_(workers, read_ahead, slabs, most_samples(workers, read_ahead)) {
  const auto samples = most_samples(workers, read_ahead);
  free_.reserve(samples);
  for (std::uint32_t i = 0; i < samples; ++i) free_.push_back(std::make_unique<Sample>(book_));
  idle_.reserve(workers + read_ahead);
}

// ---- conductor -------------------------------------------------------------------------------

void Board::open(const conductor::RowRun& run) {
  Lock lock(mutex_);
  queue_.add(run);
  note_waiting();
  (queue_.read_ahead() > 0 ? reads_ : work_).notify_all();
}

std::uint64_t Board::rows_ahead() noexcept {
  Lock lock(mutex_);
  return queue_.rows_ahead();
}

void Board::limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  {
    Lock lock(mutex_);
    queue_.limit(workers, read_ahead);
    clocks_.staffed(workers, Clock::now());
    wake_all();
    benched_.notify_all();
  }
  trim_idle();
}

void Board::resume(Sample& sample) {
  Lock lock(mutex_);
  if (!queue_.resume(sample)) return;  // halted meanwhile
  note_waiting();
  wake_all();
}

void Board::trim_idle() noexcept {
  Lock lock(mutex_);
  for (WorkerMemory* const memory : idle_) memory->trim();
  for (const auto& sample : free_) sample->encoded.trim();
}

void Board::halt() noexcept {
  Lock lock(mutex_);
  halted_ = true;
  queue_.halt([](Sample& sample) { sample.kept.release(); });
  note_waiting();
  wake_all();
  benched_.notify_all();
}

std::uint64_t Board::untaken_rows() noexcept {
  Lock lock(mutex_);
  return queue_.untaken_rows();
}

void Board::note() noexcept {
  Lock lock(mutex_);
  note_waiting();
}

std::vector<ParkedSample> Board::parked() {
  Lock lock(mutex_);
  std::vector<ParkedSample> parked;
  for (const auto& sample : std::views::reverse(queue_.parked()))
    parked.push_back({*sample, sample->index, sample->parked_at});
  return parked;
}

// ---- waiting ---------------------------------------------------------------------------------

void Board::wake_all() noexcept {
  work_.notify_all();
  reads_.notify_all();
}

void Board::wait(WorkerMemory& mine, bool& listed, std::condition_variable& for_it, Lock& lock) {
  if (book_.someone_waits()) mine.trim();
  if (!std::exchange(listed, true)) idle_.push_back(&mine);
  for_it.wait(lock.native());
}

void Board::note_waiting() noexcept {
  const auto why = halted_ ? Hold::rows : queue_.hold(book_.someone_waits());
  if (waiting_ == noted_ && (waiting_ == 0 || why == noted_hold_)) return;
  noted_ = waiting_;
  noted_hold_ = why;
  clocks_.workers_wait(waiting_, why, Clock::now());
}

void Board::count_waiting(bool& counted, bool waits) noexcept {
  if (counted != waits) waits ? ++waiting_ : --waiting_;
  counted = waits;
  note_waiting();
}

// ---- workers and readers ---------------------------------------------------------------------

std::optional<Board::Task> Board::take_work(WorkerMemory& mine, std::uint32_t worker,
                                            std::uint32_t most_rows) {
  Lock lock(mutex_);
  std::optional<Task> task;
  bool listed = false, counted = false;
  while (!halted_) {
    const bool benched = worker >= queue_.workers();
    if (!benched && (task = queue_.next_work(most_rows))) break;
    if (benched) mine.trim();
    count_waiting(counted, !benched);
    wait(mine, listed, benched ? benched_ : work_, lock);
  }
  if (listed) idle_.erase(std::find(idle_.begin(), idle_.end(), &mine));
  // One that leaves has nothing to do until the stream is over.
  count_waiting(counted, !task && worker < queue_.workers());
  if (task && task->sample) reads_.notify_one();  // where it was read ahead, another read may begin
  if (task && task->runs_low) low_->wake();
  return task;
}

std::optional<Board::Task> Board::take_read(WorkerMemory& mine) {
  Lock lock(mutex_);
  std::optional<Task> task;
  bool listed = false;
  while (!halted_ && !(task = queue_.next_read())) wait(mine, listed, reads_, lock);
  if (listed) idle_.erase(std::find(idle_.begin(), idle_.end(), &mine));
  if (task && task->runs_low) low_->wake();
  return task;
}

void Board::put_back(const conductor::RowRun& run) {
  Lock lock(mutex_);
  queue_.add(run);
  wake_all();
}

void Board::park(SamplePtr sample) {
  Sample& waiter = *sample;
  {
    Lock lock(mutex_);
    if (halted_) sample->kept.release();
    queue_.park(std::move(sample));
    note_waiting();
  }
  book_.park(waiter);
}

void Board::arrived(SamplePtr sample) {
  Lock lock(mutex_);
  if (halted_) sample->kept.release();
  queue_.arrived(std::move(sample));
  work_.notify_one();
}

void Board::lost(Sample& sample) noexcept {
  Lock lock(mutex_);
  if (!queue_.end_read(sample)) return;
  note_waiting();
  reads_.notify_one();
}

void Board::recycle(SamplePtr sample) noexcept {
  if (book_.someone_waits()) sample->encoded.trim();
  Lock lock(mutex_);
  free_.push_back(std::move(sample));
}

SamplePtr Board::fresh_sample() {
  Lock lock(mutex_);
  if (free_.empty()) return std::make_unique<Sample>(book_);
  auto sample = std::move(free_.back());
  free_.pop_back();
  return sample;
}

}  // namespace weir::engine
