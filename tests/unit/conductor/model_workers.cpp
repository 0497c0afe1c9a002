#include <algorithm>
#include <utility>

#include "unit/conductor/model.hpp"

namespace weir::test {

bool Model::takes_fresh(const Worker& worker) const {
  if (is_benched(worker) || !(feed_.front() < barrier())) return false;
  if (!worker.is_reader) return workers_read();
  // Samples can wait for an older row that was put back.
  const bool older = to_read_.empty() || feed_.front() < to_read_.begin()->first;
  const bool waited_for = older && !(parked_.empty() && to_read_.empty());
  return !workers_read() && (reads_ahead_ < limits_.read_ahead || waited_for);
}

bool Model::takes_sample(const Worker& worker) const {
  if (is_benched(worker)) return false;
  const auto& samples = worker.is_reader ? to_read_ : to_decode_;
  const auto fresh = worker.is_reader || workers_read() ? feed_.front() : books::no_row;
  return !samples.empty() && samples.begin()->first < std::min(fresh, barrier());
}

bool Model::can_move(const Worker& worker) const {
  if (worker.left) return false;
  if (halted_ || worker.busy || worker.run.count > 0 || !worker.listed) return true;
  return takes_sample(worker) || takes_fresh(worker);
}

void Model::move_worker(Worker& worker) {
  const auto next = worker.sample->next;
  // A stop takes effect between the steps of a row, or after it. Copied rows are posted first.
  const bool notices = worker.copied.count == 0 &&
                       (next == Next::read || next == Next::decide || next == Next::copy);
  if (halted_ && (!worker.busy || (notices && choices_.below(2) == 0))) {
    worker.left = true;
    worker.busy = false;
  } else if (worker.busy) {
    advance(worker);
  } else if (worker.run.count > 0) {
    feed_.add(std::exchange(worker.run, {}));  // the rows it had not begun when its row was parked
  } else if (!take_work(worker)) {
    if (book_->someone_waits()) {
      worker.scratch.trim();
      worker.sample->encoded.trim();
    }
    worker.listed = true;
  }
}

bool Model::take_work(Worker& worker) {
  if (takes_sample(worker)) {
    auto& samples = worker.is_reader ? to_read_ : to_decode_;
    if (book_->someone_waits()) worker.sample->encoded.trim();
    free_.push_back(std::exchange(worker.sample, std::move(samples.begin()->second)));
    samples.erase(samples.begin());
    auto& sample = *worker.sample;
    if (!worker.is_reader) end_read(sample);
    const auto granted = std::exchange(sample.granted, {});
    if (granted.bytes > 0)
      (sample.account == Account::encoded ? sample.encoded : worker.scratch).adopt(granted, 0);
  } else {
    if (!takes_fresh(worker)) return false;
    const auto most = worker.is_reader ? 1 : std::min(feed_.front_count(), scenario_.max_run);
    const auto run = feed_.take(1 + static_cast<std::uint32_t>(choices_.below(most)), barrier());
    worker.run = *run;
    if (feed_.rows() < limits_.rows_ahead && feed_.rows() + run->count >= limits_.rows_ahead)
      waker_->wake();
    begin_row(worker);
    worker.sample->ahead = worker.is_reader;
    reads_ahead_ += worker.is_reader ? 1u : 0u;
  }
  worker.busy = true;
  worker.listed = false;
  return true;
}

void Model::begin_row(Worker& worker) {
  auto& sample = *worker.sample;
  sample.slab = worker.run.slab;
  sample.row = worker.run.key();
  sample.attempt = 0;
  sample.next = Next::read;
  sample.refused = 0;
  sample.read = 0;
  sample.exact = false;
  ++worker.run.first;
  --worker.run.count;
  if (!has_no_sample(scenario_, sample.row.sequence, sample.row.row)) {
    if (!worker.is_reader && is_copied(scenario_, sample.row)) sample.next = Next::copy;
    return draw(sample);
  }
  // Where sizes differ, the strand has asked the order, and has ended the stream.
  if (scenario_.sizes_differ)
    end_row(worker, false);
  else
    sample.next = Next::stop;
}

void Model::advance(Worker& worker) {
  auto& sample = *worker.sample;
  const auto [sequence, row] = sample.row;
  if (worker.copied.count > 0 && sample.next != Next::copy) return post_copied(worker);
  switch (sample.next) {
    case Next::read: read(worker); break;
    case Next::decode:
      if (admit(worker, worker.scratch, scratch_bytes(scenario_, sequence, row, sample.attempt)))
        sample.next = Next::decide;
      break;
    case Next::decide:
      if (may_fail(sample))
        fail(worker);
      else
        end_row(worker, true);
      break;
    case Next::park: park(worker); break;
    case Next::stop:
      stop_row_ = std::min(stop_row_, sample.row);
      book_->stop_at(sample.row);
      end_row(worker, false);
      break;
    case Next::finish: finish(worker); break;
    case Next::copy: copy(worker); break;
    case Next::end_run: break;  // with copied rows
  }
}

void Model::read(Worker& worker) {
  auto& sample = *worker.sample;
  const auto of = [&](std::uint32_t samples) {
    return encoded_bytes(scenario_, sample.row.sequence, sample.row.row, sample.attempt, samples);
  };
  const auto bytes = of(sample.read + 1);
  // A block that grows loses the earlier samples. It is made for twice as many.
  const bool again = sample.read > 0 && bytes > sample.encoded.charged();
  const auto room = sample.exact ? of(1 + scenario_.partners)
                    : again      ? std::min(2 * bytes, scenario_.sample_bytes)
                                 : bytes;
  if (!admit(worker, sample.encoded, room)) {
    if (sample.next == Next::park) sample.read = 0;
    return;
  }
  sample.read = again ? 0 : sample.read + 1;
  if (sample.read <= scenario_.partners) return;
  // The reserve must have room for the scratch, too.
  if (sample.encoded.reserve() && sample.encoded.charged() > bytes) {
    sample.exact = true;
    sample.read = 0;
    sample.encoded.trim();
  } else if (worker.is_reader && may_fail(sample)) {
    fail(worker);
  } else {
    sample.next = Next::decode;
    if (!worker.is_reader) return;
    const auto row = sample.row;
    to_decode_[row] = std::exchange(worker.sample, spare_sample());
    worker.busy = false;
  }
}

void Model::end_read(Sample& sample) {
  if (std::exchange(sample.ahead, false)) --reads_ahead_;
}

bool Model::admit(Worker& worker, buffer::Block& block, std::uint64_t bytes) {
  auto& sample = *worker.sample;
  const bool grows = bytes > block.charged();
  const auto granted = [&] {
    if (grows && !waiting_.empty() && *waiting_.begin() < sample.row)
      breach("a younger row was admitted while an older one waits");
    return true;
  };
  const bool oldest = sample.row == this->oldest();
  if (sample.refused == 0) {
    if (block.ensure(bytes, 0, sample.row, nullptr)) return granted();
    sample.refused = 1;
  } else {
    // Unused memory is freed before a sample waits, and then cached pieces are evicted.
    if (sample.refused == 1) {
      if (&block != &worker.scratch) worker.scratch.trim();
      trim_idle();
      if (keeper_) {
        book_->make_room(books::Claim{sample.row, block.account(), bytes});
        sample.refused = 2;
        return false;
      }
    }
    sample.refused = 0;
    if (block.ensure(bytes, 0, sample.row, &sample)) return granted();
    waiting_.insert(sample.row);
    sample.after_park = std::exchange(sample.next, Next::park);
  }
  if (oldest) breach("progress: the oldest row was refused " + std::to_string(bytes));
  return false;
}

bool Model::may_fail(const Sample& sample) {
  if (may_fail_ == 0) return fails(scenario_, sample.row.sequence, sample.row.row, sample.attempt);
  if (choices_.below(2) == 0) return false;
  --may_fail_;
  return true;
}

void Model::park(Worker& worker) {
  auto& sample = *worker.sample;
  sample.next = sample.after_park;
  auto& place = parked_[sample.row];
  place = std::exchange(worker.sample, spare_sample());
  worker.busy = false;
  book_->park(*place);
}

Model::SamplePtr Model::spare_sample() {
  if (free_.empty()) return std::make_unique<Sample>(*book_);
  auto sample = std::move(free_.back());
  free_.pop_back();
  return sample;
}

void Model::fail(Worker& worker) {
  auto& sample = *worker.sample;
  ++sample.attempt;
  if (scenario_.on_fault == OnFault::blank) return end_row(worker, false);
  if (scenario_.on_fault == OnFault::stop || sample.attempt == most_attempts) {
    sample.next = Next::stop;
    return;
  }
  draw_again(sample);
  // The replacement may need the whole reserve, which the failed attempt still holds.
  release_memory(worker);
  ++batches_[sample.slab].faults;
  ++tally_.failed;
  ++tally_.drawn;
  book_->fail_and_redraw(sample.slab);
  sample.next = Next::read;
  sample.read = 0;
  sample.exact = false;
}

void Model::end_row(Worker& worker, bool ok) {
  release_memory(worker);
  worker.sample->ok = ok;
  worker.sample->next = Next::finish;
}

void Model::release_memory(Worker& worker) {
  // Blocks may be kept. Then a row ends without freeing a byte, and waiting samples must still be woken.
  auto& encoded = worker.sample->encoded;
  if (worker.scratch.reserve() || book_->someone_waits()) worker.scratch.trim();
  if (encoded.reserve() || book_->someone_waits()) encoded.trim();
}

void Model::finish(Worker& worker) {
  auto& sample = *worker.sample;
  auto& batch = batches_[sample.slab];
  const bool replaced = sample.ok && sample.attempt > 0;
  if (!sample.ok) {
    ++batch.lost;
    ++batch.faults;
    ++tally_.failed;
    --tally_.in_flight;
  }
  if (replaced) ++tally_.replaced;
  if (sample.ok) tally_.partners += scenario_.partners;
  unfinished_.erase(sample.row);
  if (book_->finish_rows({.slab = sample.slab,
                          .first = sample.row.row,
                          .ok = sample.ok,
                          .replaced = replaced,
                          .partners = scenario_.partners}))
    waker_->wake();
  end_read(sample);
  // A worker whose reads take long puts the rest of its rows back.
  worker.busy = worker.run.count > 0 && (scenario_.read_ahead == 0 || choices_.below(2) == 0);
  if (worker.busy) begin_row(worker);
}

void Model::copy(Worker& worker) {
  auto& sample = *worker.sample;
  release_memory(worker);
  if (worker.copied.count == 0)
    worker.copied = {
        .slab = sample.slab, .first = sample.row.row, .count = 0, .partners = scenario_.partners};
  ++worker.copied.count;
  sample.next = Next::end_run;
  if (worker.run.count > 0) begin_row(worker);
}

void Model::post_copied(Worker& worker) {
  auto& [slab, first, count, ok, replaced, partners] = worker.copied;
  const auto sequence = worker.sample->row.sequence;
  for (std::uint32_t i = 0; i < count; ++i) unfinished_.erase({sequence, first + i});
  tally_.partners += count * partners;
  if (book_->finish_rows(worker.copied)) waker_->wake();
  count = 0;
  worker.busy = worker.sample->next != Next::end_run;
}

}  // namespace weir::test
