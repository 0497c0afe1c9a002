#include "engine/clocks.hpp"

#include <algorithm>

namespace weir::engine {

namespace {

/// Those that a worker goes through; batches pass the others.
constexpr std::size_t worker_stages = static_cast<std::size_t>(Stage::fit) + 1;

}  // namespace

Clocks::Clocks(std::uint32_t max_queue_size, std::uint32_t workers)
    : occupied_(max_queue_size + 1) {
  for (std::uint32_t i = 0; i < workers; ++i) lanes_.emplace_back(worker_stages);
  lanes_.emplace_back(stage_count);
}

void Clocks::stream_opened(std::uint32_t workers, Clock::time_point now) {
  Lock lock(mutex_);
  if (!opened_) opened_ = now;
  stream_opened_ = settled_ = now;
  ended_.reset();
  handed_.reset();
  wait_.reset();
  depth_ = waiting_ = 0;
  workers_ = workers;
}

void Clocks::stream_ended(Clock::time_point now) {
  Lock lock(mutex_);
  if (ended_) return;
  now = settle(now);
  add_wait(counted_, now);
  wait_.reset();
  ended_ = now;
}

Clocks::Held Clocks::held() const noexcept {
  switch (why_) {
    case Hold::reads: return starved;
    case Hold::bytes: return throttled;
    // A slab refused while a batch lies ready only makes the queue as deep as the budget lets it.
    case Hold::slab: return depth_ == 0 ? throttled : idle;
    case Hold::rows: break;
  }
  return idle;
}

Clock::time_point Clocks::settle(Clock::time_point now) {
  if (now <= settled_) return settled_;
  const auto past = now - settled_;
  if (!opened_ || ended_) return now;
  open_for_ += past;
  occupied_[depth_] += past;
  worked_ += past * workers_;
  // Those just sent off may not know it yet.
  held_[held()] += past * std::min(waiting_, workers_);
  return settled_ = now;
}

void Clocks::ready_changed(int by, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  settle(now);
  depth_ = static_cast<std::uint32_t>(static_cast<int>(depth_) + by);
}

void Clocks::workers_wait(std::uint32_t count, Hold why, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  settle(now);
  waiting_ = count;
  why_ = why;
}

void Clocks::staffed(std::uint32_t workers, Clock::time_point now) {
  Lock lock(mutex_);
  settle(now);
  workers_ = workers;
}

// ---- the consumer ----------------------------------------------------------------------------

void Clocks::asked(bool found, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  now = settle(now);
  if (handed_) {
    const double s = seconds(now - *handed_);
    ++counted_.consumer.count;
    counted_.consumer.sum_s += s;
    counted_.consumer.squares_s2 += s * s;
    handed_.reset();
  }
  // A try that found nothing goes on waiting until there is a batch.
  if (!wait_) wait_ = Wait{now, found, found ? Effort{} : effort(now)};
}

void Clocks::answered(std::optional<std::uint64_t> samples, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  now = settle(now);
  if (!samples) return;
  ++counted_.asked;
  if (wait_ && wait_->found) ++counted_.found;
  add_wait(counted_, now);
  wait_.reset();
  samples_ += *samples;
  handed_ = now;
  if (!first_batch_ && stream_opened_) first_batch_ = now - *stream_opened_;
}

void Clocks::add_wait(QueueClock& counted, Clock::time_point now) const {
  if (!wait_) return;
  const double waited = seconds(now - wait_->since);
  counted.consumer_wait_s += waited;
  auto spent = wait_->found ? Effort{} : effort(now);
  double all = 0;
  for (std::size_t i = 0; i < spent.size(); ++i)
    all += spent[i] = std::max(0.0, spent[i] - wait_->before[i]);
  // Nobody at work: the batch was on its way from the last of them to the consumer.
  if (all <= 0) spent = {0, all = 1, 0};
  counted.fetch_stall_s += waited * spent[0] / all;
  counted.prep_stall_s += waited * spent[1] / all;
  counted.memory_stall_s += waited * spent[2] / all;
}

Clocks::Consumer Clocks::consumer() const {
  Lock lock(mutex_);
  return {wait_ ? std::optional(wait_->since) : std::nullopt, handed_};
}

void Clocks::released(const buffer::Slab& slab, Clock::time_point now) noexcept {
  others().add(Stage::lease, now - slab.since, slab.pixels(0, slab.rows).size());
}

// ---- what is reported ------------------------------------------------------------------------

WorkerTime Clocks::worker_time(Clock::time_point now) const {
  Clock::duration reading{};
  for (const auto& lane : lanes_) reading += lane.reading(now);
  // A worker that neither waits nor reads prepares.
  const auto rest = worked_ - reading - held_[starved] - held_[throttled] - held_[idle];
  return {.read_s = seconds(reading),
          .decode_s = std::max(0.0, seconds(rest)),
          .starved_s = seconds(held_[starved]),
          .throttled_s = seconds(held_[throttled]),
          .idle_s = seconds(held_[idle])};
}

Clocks::Effort Clocks::effort(Clock::time_point now) const {
  const auto time = worker_time(now);
  return {time.read_s + time.starved_s, time.decode_s, time.throttled_s};
}

std::vector<StageClock> Clocks::stages() const {
  std::vector<StageClock> clocks;
  for (std::size_t i = 0; i < stage_count; ++i) {
    auto& clock = clocks.emplace_back();
    clock.stage = static_cast<Stage>(i);
    TimeHistogram::Counts counts;
    for (const auto& lane : lanes_) lane.add_to(clock, counts);
    clock.count = TimeHistogram::total(counts);
    if (clock.count == 0) continue;
    clock.p50_us = 1e6 * TimeHistogram::at(counts, 0.5).value();
    clock.p90_us = 1e6 * TimeHistogram::at(counts, 0.9).value();
    clock.p99_us = 1e6 * TimeHistogram::at(counts, 0.99).value();
  }
  return clocks;
}

QueueClock Clocks::queue(Clock::time_point now) {
  Lock lock(mutex_);
  now = settle(now);
  QueueClock clock = counted_;
  clock.seconds = seconds(open_for_);
  for (const auto time : occupied_) {
    clock.occupancy.push_back(clock.seconds > 0 ? seconds(time) / clock.seconds : 0.0);
  }
  clock.workers = worker_time(now);
  if (worked_ > Clock::duration::zero())
    clock.producer_wait_s = clock.workers.idle_s * clock.seconds / seconds(worked_);
  add_wait(clock, now);
  if (clock.asked > 0)
    clock.data_readiness = static_cast<double>(clock.found) / static_cast<double>(clock.asked);
  return clock;
}

Throughput Clocks::throughput(Clock::time_point now) const {
  Lock lock(mutex_);
  Throughput throughput;
  if (!opened_) return throughput;
  throughput.seconds = seconds(ended_.value_or(now) - *opened_);
  if (throughput.seconds > 0)
    throughput.samples_per_s = static_cast<double>(samples_) / throughput.seconds;
  if (first_batch_) throughput.first_batch_s = seconds(*first_batch_);
  return throughput;
}

std::uint64_t Clocks::noted() const {
  Lock lock(mutex_);
  return noted_;
}

}  // namespace weir::engine
