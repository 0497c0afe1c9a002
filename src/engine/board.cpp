#include "engine/board.hpp"

#include <algorithm>
#include <utility>

#include "conductor/pull.hpp"

namespace weir::engine {

Board::Board(books::Book& book, Clocks& clocks, std::uint32_t workers, std::uint32_t read_ahead,
             std::uint32_t slabs, std::shared_ptr<Wakeable> low)
    : book_(book),
      clocks_(clocks),
      low_(std::move(low)),
      workers_(workers),
      read_ahead_(read_ahead),
      rows_ahead_(conductor::rows_ahead(workers, read_ahead)),
      feed_(slabs + workers + 1) {
  // Two to each thread, its own and a spare one, one more where it has parked, and those that have
  // been read: made beforehand, so that a stream at work allocates what is on the books alone.
  const auto threads = workers + read_ahead;
  const auto samples = 3 * threads + read_ahead;
  for (auto* list : {&to_decode_, &to_read_, &parked_, &free_}) list->reserve(samples);
  for (std::uint32_t i = 0; i < samples; ++i) free_.push_back(std::make_unique<Sample>(book_));
  idle_.reserve(threads);
}

void Board::insert(Samples& samples, SamplePtr sample) {
  const auto place = std::find_if(samples.begin(), samples.end(),
                                  [&](const SamplePtr& other) { return other->row < sample->row; });
  samples.insert(place, std::move(sample));
}

books::RowKey Board::barrier() const noexcept {
  return parked_.empty() ? books::no_row : parked_.back()->row;
}

SamplePtr Board::take_oldest(Samples& samples) noexcept {
  SamplePtr sample = std::move(samples.back());
  samples.pop_back();
  return sample;
}

void Board::open(const conductor::RowRun& run) {
  Lock lock(mutex_);
  feed_.add(run);
  note_waiting();
  (read_ahead_ > 0 ? reads_ : work_).notify_all();
}

void Board::put_back(const conductor::RowRun& run) {
  Lock lock(mutex_);
  feed_.add(run);
  work_.notify_all();
  reads_.notify_all();
}

std::uint64_t Board::rows_ahead() noexcept {
  Lock lock(mutex_);
  return rows_ahead_;
}

void Board::limit(std::uint32_t workers, std::uint32_t read_ahead) noexcept {
  {
    Lock lock(mutex_);
    workers_ = workers;
    read_ahead_ = read_ahead;
    rows_ahead_ = conductor::rows_ahead(workers, read_ahead);
    clocks_.staffed(workers, Clock::now());
    work_.notify_all();
    reads_.notify_all();
    benched_.notify_all();
  }
  trim_idle();
}

void Board::resume(Sample& sample) {
  Lock lock(mutex_);
  const auto place = std::find_if(parked_.begin(), parked_.end(),
                                  [&](const SamplePtr& other) { return other.get() == &sample; });
  if (place == parked_.end()) return;  // halted meanwhile
  SamplePtr taken = std::move(*place);
  parked_.erase(place);
  Samples& next = taken->has_bytes || read_ahead_ == 0 ? to_decode_ : to_read_;
  insert(next, std::move(taken));
  note_waiting();
  work_.notify_all();
  reads_.notify_all();
}

void Board::trim_idle() noexcept {
  Lock lock(mutex_);
  for (WorkerMemory* const memory : idle_) memory->trim();
  for (const auto& sample : free_) sample->encoded.trim();
}

void Board::halt() noexcept {
  Lock lock(mutex_);
  halted_ = true;
  feed_.clear();
  for (auto* const list : {&to_decode_, &to_read_, &parked_})
    for (const auto& sample : *list) sample->kept.release();
  note_waiting();
  work_.notify_all();
  reads_.notify_all();
  benched_.notify_all();
}

std::uint64_t Board::untaken_rows() noexcept {
  Lock lock(mutex_);
  return feed_.rows();
}

std::optional<conductor::RowRun> Board::take_fresh(std::uint32_t most_rows) {
  const auto run = feed_.take(most_rows, barrier());
  if (run && feed_.rows() < rows_ahead_ && feed_.rows() + run->count >= rows_ahead_) low_->wake();
  return run;
}

std::optional<Board::Task> Board::next_work(std::uint32_t most_rows) {
  const auto fresh = read_ahead_ > 0 ? books::no_row : feed_.front();
  const auto limit = barrier();
  if (!to_decode_.empty() && to_decode_.back()->row < fresh && to_decode_.back()->row < limit) {
    Task task{{}, take_oldest(to_decode_)};
    no_longer_ahead(*task.sample);
    return task;
  }
  if (read_ahead_ > 0) return std::nullopt;
  const auto run = take_fresh(conductor::run_share(feed_.front_count(), workers_, most_rows));
  if (!run) return std::nullopt;
  return Task{*run, nullptr};
}

void Board::wait(WorkerMemory& mine, bool& listed, std::condition_variable& for_it, Lock& lock) {
  if (book_.someone_waits()) mine.trim();
  if (!std::exchange(listed, true)) idle_.push_back(&mine);
  for_it.wait(lock.native());
}

Hold Board::hold() const noexcept {
  if (halted_) return Hold::rows;
  if (!parked_.empty()) return Hold::bytes;
  if (book_.someone_waits()) return Hold::slab;
  const bool reads = outstanding_ > 0 || !to_read_.empty() || feed_.rows() > 0;
  return read_ahead_ > 0 && reads ? Hold::reads : Hold::rows;
}

void Board::note_waiting() noexcept {
  const auto why = hold();
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

std::vector<Board::Parked> Board::parked() {
  Lock lock(mutex_);
  std::vector<Parked> parked;
  for (auto sample = parked_.rbegin(); sample != parked_.rend(); ++sample) {
    const Sample& s = **sample;
    parked.push_back({s.row, s.index, s.account, s.Waiter::bytes, s.parked_at});
  }
  return parked;
}

void Board::note() noexcept {
  Lock lock(mutex_);
  note_waiting();
}

std::optional<Board::Task> Board::take_work(WorkerMemory& mine, std::uint32_t worker,
                                            std::uint32_t most_rows) {
  Lock lock(mutex_);
  std::optional<Task> task;
  bool listed = false, counted = false;
  while (!halted_) {
    const bool benched = worker >= workers_;
    if (!benched && (task = next_work(most_rows))) break;
    if (benched) mine.trim();
    count_waiting(counted, !benched);
    wait(mine, listed, benched ? benched_ : work_, lock);
  }
  if (listed) idle_.erase(std::find(idle_.begin(), idle_.end(), &mine));
  // One that leaves has nothing to do until the stream is over.
  count_waiting(counted, !task && worker < workers_);
  return task;
}

void Board::park(SamplePtr sample) {
  Sample& waiter = *sample;
  {
    Lock lock(mutex_);
    if (halted_) sample->kept.release();
    insert(parked_, std::move(sample));
    note_waiting();
  }
  book_.park(waiter);
}

void Board::recycle(SamplePtr sample) noexcept {
  if (book_.someone_waits()) sample->encoded.trim();
  Lock lock(mutex_);
  free_.push_back(std::move(sample));
}

SamplePtr Board::fresh_sample() {
  {
    Lock lock(mutex_);
    if (!free_.empty()) return take_oldest(free_);
  }
  return std::make_unique<Sample>(book_);
}

std::optional<Board::Task> Board::next_read() {
  const auto limit = barrier();
  if (!to_read_.empty() && to_read_.back()->row < feed_.front() && to_read_.back()->row < limit) {
    return Task{{}, take_oldest(to_read_)};
  }
  if (outstanding_ >= read_ahead_) return std::nullopt;
  const auto run = take_fresh(1);
  if (!run) return std::nullopt;
  ++outstanding_;
  return Task{*run, nullptr};
}

std::optional<Board::Task> Board::take_read(WorkerMemory& mine) {
  Lock lock(mutex_);
  std::optional<Task> task;
  bool listed = false;
  while (!halted_ && !(task = next_read())) wait(mine, listed, reads_, lock);
  if (listed) idle_.erase(std::find(idle_.begin(), idle_.end(), &mine));
  return task;
}

void Board::no_longer_ahead(Sample& sample) noexcept {
  if (!std::exchange(sample.ahead, false)) return;
  --outstanding_;
  note_waiting();
  reads_.notify_one();
}

void Board::lost(Sample& sample) noexcept {
  Lock lock(mutex_);
  no_longer_ahead(sample);
}

void Board::arrived(SamplePtr sample) {
  Lock lock(mutex_);
  if (halted_) sample->kept.release();
  insert(to_decode_, std::move(sample));
  work_.notify_one();
}

}  // namespace weir::engine
