#include "engine/clocks.hpp"

namespace weir::engine {

void Clocks::stream_opened() {
  Lock lock(mutex_);
  const auto now = Clock::now();
  if (!opened_) opened_ = now;
  stream_opened_ = now;
  ended_.reset();
  depth_ = 0;
  depth_since_ = now;
}

void Clocks::stream_ended() {
  Lock lock(mutex_);
  if (ended_) return;
  const auto now = Clock::now();
  settle_depth(now);
  ended_ = now;
}

void Clocks::settle_depth(Clock::time_point now) {
  if (!ended_) occupied_[depth_] += now - depth_since_;
  depth_since_ = now;
}

void Clocks::ready_changed(int by) {
  Lock lock(mutex_);
  settle_depth(Clock::now());
  depth_ = static_cast<std::uint32_t>(static_cast<int>(depth_) + by);
}

void Clocks::delivered(std::uint64_t samples, bool was_ready, Clock::duration waited) {
  Lock lock(mutex_);
  ++asked_;
  found_ready_ += was_ready ? 1 : 0;
  consumer_wait_ += waited;
  samples_ += samples;
  if (!first_batch_ && stream_opened_) first_batch_ = Clock::now() - *stream_opened_;
}

std::vector<StageClock> Clocks::stages() const {
  std::vector<StageClock> clocks;
  for (std::size_t i = 0; i < stage_count; ++i) {
    auto& clock = clocks.emplace_back();
    clock.stage = static_cast<Stage>(i);
    clock.count = stages_[i].count.load(std::memory_order_relaxed);
    clock.busy_s = static_cast<double>(stages_[i].busy_ns.load(std::memory_order_relaxed)) * 1e-9;
  }
  return clocks;
}

QueueClock Clocks::queue(std::uint32_t workers) const {
  Lock lock(mutex_);
  QueueClock clock;
  auto occupied = occupied_;
  if (opened_ && !ended_) occupied[depth_] += Clock::now() - depth_since_;
  Clock::duration all{};
  for (const auto share : occupied) all += share;
  for (const auto share : occupied) {
    clock.occupancy.push_back(all.count() > 0 ? seconds(share) / seconds(all) : 0.0);
  }
  clock.consumer_wait_s = seconds(consumer_wait_);
  clock.producer_wait_s =
      static_cast<double>(worker_idle_ns_.load(std::memory_order_relaxed)) * 1e-9 / workers;
  if (asked_ > 0)
    clock.data_readiness = static_cast<double>(found_ready_) / static_cast<double>(asked_);
  return clock;
}

Throughput Clocks::throughput() const {
  Lock lock(mutex_);
  Throughput throughput;
  if (!opened_) return throughput;
  throughput.seconds = seconds(ended_.value_or(Clock::now()) - *opened_);
  if (throughput.seconds > 0)
    throughput.samples_per_s = static_cast<double>(samples_) / throughput.seconds;
  if (first_batch_) throughput.first_batch_s = seconds(*first_batch_);
  return throughput;
}

}  // namespace weir::engine
