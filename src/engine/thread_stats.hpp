#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "engine/time_histogram.hpp"
#include "weir/report.hpp"

namespace weir::engine {

/// The times that a thread records. Any thread may add to it. Each worker has its own object, so
/// workers do not write to the same cache line. Readers add the objects up.
class alignas(64) ThreadStats {
 public:
  /// For the first `stages` stages.
  explicit ThreadStats(std::size_t stages) : meters_(stages) {}
  /// Bytes that it allocates.
  static constexpr std::uint64_t bytes(std::size_t stages) noexcept {
    return stages * sizeof(Meter);
  }

  void add(Stage stage, Clock::duration busy, std::uint64_t bytes) noexcept;
  /// Adds count, times and bytes to `clock`, and the distribution of times to `counts`.
  void add_to(StageStats& clock, TimeHistogram::Counts& counts) const;

  /// Samples that the cache had or had not.
  void count_hit() noexcept { hits_.fetch_add(1, std::memory_order_relaxed); }
  void count_misses(std::uint64_t samples) noexcept {
    misses_.fetch_add(samples, std::memory_order_relaxed);
  }
  /// Adds hits and misses.
  void add_to(CacheStats& cache) const noexcept;

  /// Adds one measured piece of work: its CPU time and its elapsed time.
  void took(Stage stage, std::chrono::nanoseconds cpu, Clock::duration busy) noexcept;

  // -- only the worker that owns this object
  void read_begins(Clock::time_point now) noexcept;
  void read_ends(Clock::time_point now) noexcept;
  // -- any thread
  /// Time spent in reads, the current read included.
  Clock::duration reading(Clock::time_point now) const noexcept;

 private:
  struct alignas(64) Meter {
    std::atomic<std::int64_t> busy_ns{0};
    std::atomic<double> squares_s2{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::int64_t> cpu_ns{0}, cpu_busy_ns{0};
    std::atomic<std::uint64_t> cpu_count{0};
    TimeHistogram times;
  };
  std::vector<Meter> meters_;
  std::atomic<std::uint64_t> hits_{0}, misses_{0};
  /// Between reads: the total read time. During a read: that total minus the start time, which is
  /// negative, because the total cannot exceed the time since the clock's epoch. One word, so that
  /// readers see a consistent value.
  std::atomic<Clock::rep> reading_{0};
};

/// Nanoseconds that one measurement costs on this machine: two clock reads and add(). It is the
/// median of several bursts. The call takes a few milliseconds.
double measure_reading_ns();

}  // namespace weir::engine
