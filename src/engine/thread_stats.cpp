#include "engine/thread_stats.hpp"

namespace weir::engine {

void ThreadStats::add(Stage stage, Clock::duration busy, std::uint64_t bytes) noexcept {
  auto& meter = meters_[static_cast<std::size_t>(stage)];
  const double s = seconds(busy);
  meter.busy_ns.fetch_add(std::chrono::nanoseconds(busy).count(), std::memory_order_relaxed);
  meter.squares_s2.fetch_add(s * s, std::memory_order_relaxed);
  meter.bytes.fetch_add(bytes, std::memory_order_relaxed);
  meter.times.add(busy);
}

void ThreadStats::add_to(StageStats& clock, TimeHistogram::Counts& counts) const {
  const auto stage = static_cast<std::size_t>(clock.stage);
  if (stage >= meters_.size()) return;
  const auto& meter = meters_[stage];
  meter.times.add_to(counts);
  clock.busy_s += static_cast<double>(meter.busy_ns.load(std::memory_order_relaxed)) * 1e-9;
  clock.squares_s2 += meter.squares_s2.load(std::memory_order_relaxed);
  clock.bytes += meter.bytes.load(std::memory_order_relaxed);
  clock.cpu_s += static_cast<double>(meter.cpu_ns.load(std::memory_order_relaxed)) * 1e-9;
  clock.cpu_busy_s += static_cast<double>(meter.cpu_busy_ns.load(std::memory_order_relaxed)) * 1e-9;
  clock.cpu_count += meter.cpu_count.load(std::memory_order_relaxed);
}

void ThreadStats::took(Stage stage, std::chrono::nanoseconds cpu, Clock::duration busy) noexcept {
  auto& meter = meters_[static_cast<std::size_t>(stage)];
  meter.cpu_ns.fetch_add(cpu.count(), std::memory_order_relaxed);
  meter.cpu_busy_ns.fetch_add(std::chrono::nanoseconds(busy).count(), std::memory_order_relaxed);
  meter.cpu_count.fetch_add(1, std::memory_order_relaxed);
}

void ThreadStats::add_to(CacheStats& cache) const noexcept {
  cache.hits += hits_.load(std::memory_order_relaxed);
  cache.misses += misses_.load(std::memory_order_relaxed);
}

void ThreadStats::read_begins(Clock::time_point now) noexcept {
  reading_.fetch_sub(now.time_since_epoch().count(), std::memory_order_relaxed);
}

void ThreadStats::read_ends(Clock::time_point now) noexcept {
  reading_.fetch_add(now.time_since_epoch().count(), std::memory_order_relaxed);
}

Clock::duration ThreadStats::reading(Clock::time_point now) const noexcept {
  const auto spent = reading_.load(std::memory_order_relaxed);
  return Clock::duration(spent < 0 ? spent + now.time_since_epoch().count() : spent);
}

double measure_reading_ns() {
  ThreadStats thread_stats(1);
  return median_ns(5'000, [&](int) {
    const auto since = Clock::now();
    thread_stats.add(Stage::read, Clock::now() - since, 1);
  });
}

}  // namespace weir::engine
