#include "engine/loader_stats.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "advice/cpu_share.hpp"
#include "base/machine/cpu_room.hpp"

namespace weir::engine {

LoaderStats::LoaderStats(std::uint32_t max_queue_size)
    : occupied_(max_queue_size + 1), levels_(max_queue_size + 1) {
  deepen(1);
}

ThreadStats& LoaderStats::worker(std::uint32_t i) {
  Lock lock(mutex_);
  while (workers_stats_.size() <= i) {
    const bool present = workers_stats_.size() < present_;
    auto& made = workers_stats_.emplace_back();
    if (!present) made.when_left = Clock::duration{};
  }
  return workers_stats_[i].stats;
}

void LoaderStats::deepen(std::uint32_t depth) {
  Lock lock(mutex_);
  while (occupied_.capacity() <= depth && occupied_.next_capacity() > occupied_.capacity())
    occupied_.add(occupied_.next_piece());
}

void LoaderStats::attend(std::uint32_t workers, Clock::time_point now) noexcept {
  present_ = workers;
  for (std::uint32_t i = 0; i < workers_stats_.size(); ++i) {
    auto& [stats, outside, when_left] = workers_stats_[i];
    if (i >= workers) {
      if (!when_left) when_left = stats.reading(now);
    } else if (when_left) {
      outside += stats.reading(now) - *when_left;
      when_left.reset();
    }
  }
}

void LoaderStats::stream_opened(std::uint32_t workers, Clock::time_point now) {
  auto cpu = cpu_now();
  cpu.cpus = allowed_cpus();
  Lock lock(mutex_);
  cpu_before_ = cpu;
  if (!opened_) opened_ = now;
  stream_opened_ = settled_ = now;
  ended_.reset();
  handed_.reset();
  wait_.reset();
  device_awaited_.reset();
  depth_ = waiting_ = 0;
  workers_ = workers;
  attend(workers, now);
}

void LoaderStats::stream_ended(Clock::time_point now) {
  const auto used = cpu_now();
  Lock lock(mutex_);
  if (ended_) return;
  counted_.cpu = cpu(used);
  now = settle(now);
  add_wait(counted_, now);
  wait_.reset();
  device_awaited_.reset();
  ended_ = now;
  attend(0, now);
}

LoaderStats::Held LoaderStats::held() const noexcept {
  switch (why_) {
    case Hold::reads: return storage_wait;
    case Hold::bytes: return memory_wait;
    // If a batch is ready, a refused slab only limits the queue depth. The workers count as idle.
    case Hold::slab: return depth_ == 0 ? memory_wait : idle;
    case Hold::rows: break;
  }
  return idle;
}

Clock::time_point LoaderStats::settle(Clock::time_point now) {
  if (now <= settled_) return settled_;
  const auto past = now - settled_;
  if (!opened_ || ended_) return now;
  open_for_ += past;
  occupied_[depth_] += past;
  worked_ += past * workers_;
  // Workers that were just removed may still be counted as waiting.
  held_[held()] += past * std::min(waiting_, workers_);
  return settled_ = now;
}

void LoaderStats::ready_changed(int by, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  settle(now);
  depth_ = static_cast<std::uint32_t>(static_cast<int>(depth_) + by);
}

void LoaderStats::workers_wait(std::uint32_t count, Hold why, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  settle(now);
  waiting_ = count;
  why_ = why;
}

void LoaderStats::staffed(std::uint32_t workers, Clock::time_point now) {
  Lock lock(mutex_);
  now = settle(now);
  workers_ = workers;
  if (opened_ && !ended_) attend(workers, now);
}

// ---- the consumer ----------------------------------------------------------------------------

void LoaderStats::end_work(Clock::time_point now) {
  if (!handed_) return;
  const double s = seconds(now - *handed_);
  last_consumer_s_[counted_.consumer.count % last_consumer_s_.size()] = s;
  ++counted_.consumer.count;
  counted_.consumer.sum_s += s;
  counted_.consumer.squares_s2 += s * s;
  handed_.reset();
}

void LoaderStats::awaits_device(Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  now = settle(now);
  end_work(now);
  // A try that found no lease, and then no batch, waits for the batch.
  if (!wait_ && !device_awaited_) device_awaited_ = now;
}

void LoaderStats::requested(bool found, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  now = settle(now);
  end_work(now);
  if (device_awaited_) add_wait(counted_, now);
  device_awaited_.reset();
  // If a try found no batch, the wait continues until there is one.
  if (!wait_) wait_ = Wait{now, found, found ? Effort{} : effort(now)};
}

void LoaderStats::answered(std::optional<std::uint64_t> samples, Clock::time_point now) {
  Lock lock(mutex_);
  ++noted_;
  now = settle(now);
  if (!samples) return;
  ++counted_.batches;
  if (wait_ && wait_->found) ++counted_.batches_ready;
  add_wait(counted_, now);
  wait_.reset();
  counted_.samples += *samples;
  handed_ = now;
  if (!first_batch_ && stream_opened_) first_batch_ = now - *stream_opened_;
}

void LoaderStats::add_wait(QueueStats& counted, Clock::time_point now) const {
  if (device_awaited_) {
    const double waited = seconds(now - *device_awaited_);
    counted.consumer_wait_s += waited;
    counted.device_wait_s += waited;
  }
  if (!wait_) return;
  const double waited = seconds(now - wait_->since);
  counted.consumer_wait_s += waited;
  auto spent = wait_->found ? Effort{} : effort(now);
  double all = 0;
  for (std::size_t i = 0; i < spent.size(); ++i)
    all += spent[i] = std::max(0.0, spent[i] - wait_->before[i]);
  // No worker was active: the batch was on its way from the last worker to the consumer.
  if (all <= 0) spent = {0, all = 1, 0};
  counted.storage_wait_s += waited * spent[0] / all;
  counted.decode_wait_s += waited * spent[1] / all;
  counted.memory_wait_s += waited * spent[2] / all;
}

LoaderStats::Consumer LoaderStats::consumer() const {
  Lock lock(mutex_);
  return {wait_ ? std::optional(wait_->since) : std::nullopt, handed_};
}

void LoaderStats::released(const buffer::Slab& slab, Clock::time_point now) noexcept {
  others().add(Stage::lease, now - slab.since, slab.image_bytes());
}

Clock::time_point LoaderStats::copied(const buffer::Slab& slab, Clock::time_point now) noexcept {
  auto begun = slab.since;
  {
    Lock lock(mutex_);
    begun = std::max(begun, copied_until_);
    copied_until_ = std::max(copied_until_, now);
  }
  others().add(Stage::copy, now - begun, slab.image_bytes());
  return begun;
}

// ---- reports ---------------------------------------------------------------------------------

WorkerTime LoaderStats::worker_time(Clock::time_point now) const {
  const auto active = worked_ - held_[storage_wait] - held_[memory_wait] - held_[idle];
  Clock::duration reading{};
  for (const auto& worker : workers_stats_) reading += worker.reading(now);
  reading = std::clamp(reading, Clock::duration{}, std::max(active, Clock::duration{}));
  // All time that is neither waiting nor reading counts as decoding.
  return {.read_s = seconds(reading),
          .decode_s = seconds(active - reading),
          .storage_wait_s = seconds(held_[storage_wait]),
          .memory_wait_s = seconds(held_[memory_wait]),
          .idle_s = seconds(held_[idle])};
}

LoaderStats::Effort LoaderStats::effort(Clock::time_point now) const {
  const auto time = worker_time(now);
  return {time.read_s + time.storage_wait_s, time.decode_s, time.memory_wait_s};
}

CpuUse LoaderStats::cpu_now() const noexcept {
  const auto losses = cpu_watch_.read();
  const auto [used, waited] = workers_cpu_.total();
  return {.workers_s = seconds(used),
          .wait_s = waited ? std::optional(seconds(*waited)) : std::nullopt,
          .process_s = process_cpu_seconds(),
          .throttle_s = losses.throttle_s,
          .throttled_periods = losses.throttled_periods,
          .steal_s = losses.steal_s,
          .limit = cpu_watch_.limit()};
}

CpuUse LoaderStats::cpu(const CpuUse& now) const noexcept {
  if (!opened_ || ended_) return counted_.cpu;
  auto use = advice::sum(counted_.cpu, advice::between(cpu_before_, now));
  use.cpus = cpu_before_.cpus;
  return use;
}

std::vector<const ThreadStats*> LoaderStats::threads() const {
  std::vector<const ThreadStats*> threads{&others_};
  Lock lock(mutex_);
  for (const auto& worker : workers_stats_) threads.push_back(&worker.stats);
  return threads;
}

void LoaderStats::add_to(CacheStats& cache) const {
  for (const auto* thread_stats : threads()) thread_stats->add_to(cache);
}

std::vector<StageStats> LoaderStats::stages() const {
  const auto threads = this->threads();
  std::vector<StageStats> stats;
  for (std::size_t i = 0; i < stage_count; ++i) {
    auto& clock = stats.emplace_back();
    clock.stage = static_cast<Stage>(i);
    TimeHistogram::Counts counts;
    for (const auto* thread_stats : threads) thread_stats->add_to(clock, counts);
    clock.count = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
    if (clock.count > 0) clock.times = std::move(counts);
  }
  return stats;
}

QueueStats LoaderStats::queue(Clock::time_point now) {
  const auto used = cpu_now();
  Lock lock(mutex_);
  now = settle(now);
  QueueStats clock = counted_;
  clock.cpu = cpu(used);
  clock.seconds = seconds(open_for_);
  for (std::uint32_t ready = 0; ready < occupied_.capacity(); ++ready)
    clock.occupancy.push_back(clock.seconds > 0 ? seconds(occupied_[ready]) / clock.seconds : 0.0);
  // Shows every level of a usual queue, and of a deeper one what it could reach.
  constexpr std::uint32_t usual = 64;
  clock.occupancy.resize(std::max(occupied_.capacity(), std::min(levels_, usual)));
  const auto size = last_consumer_s_.size();
  const auto made = clock.consumer.count;
  for (auto i = made - std::min<std::uint64_t>(made, size); i < made; ++i)
    clock.consumer_times.push_back(last_consumer_s_[i % size]);
  clock.workers = worker_time(now);
  if (worked_ > Clock::duration::zero())
    clock.producer_wait_s = clock.workers.idle_s * clock.seconds / seconds(worked_);
  add_wait(clock, now);
  if (clock.batches > 0)
    clock.data_readiness =
        static_cast<double>(clock.batches_ready) / static_cast<double>(clock.batches);
  return clock;
}

Throughput LoaderStats::throughput(Clock::time_point now) const {
  Lock lock(mutex_);
  Throughput throughput;
  if (!opened_) return throughput;
  throughput.seconds = seconds(ended_.value_or(now) - *opened_);
  if (throughput.seconds > 0)
    throughput.samples_per_s = static_cast<double>(counted_.samples) / throughput.seconds;
  if (first_batch_) throughput.first_batch_s = seconds(*first_batch_);
  return throughput;
}

std::uint64_t LoaderStats::noted() const {
  Lock lock(mutex_);
  return noted_;
}

}  // namespace weir::engine
