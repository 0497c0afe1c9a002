#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <utility>
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

/// A worker's read, from construction until end() or destruction.
class Reading {
 public:
  /// `thread_stats` null: the time is not recorded.
  Reading(ThreadStats* thread_stats, Clock::time_point begun) noexcept
      : thread_stats_(thread_stats) {
    if (thread_stats_) thread_stats_->read_begins(begun);
  }
  ~Reading() {
    if (thread_stats_) end(Clock::now());
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  void end(Clock::time_point now) noexcept {
    if (thread_stats_) thread_stats_->read_ends(now);
    thread_stats_ = nullptr;
  }

 private:
  ThreadStats* thread_stats_;
};

/// Measures the CPU time of a thread's first read or decode, and then of one in 16, or of the next if
/// the measured one took a millisecond. Reading the CPU time is a system call. One measurement in 2 ms
/// was wrong: the scheduler takes a CPU away after such times, so too many measured calls lost theirs.
/// Not thread-safe.
class StageCpu {
 public:
  StageCpu(ThreadStats& thread_stats, Stage stage) noexcept
      : thread_stats_(thread_stats), stage_(stage) {}
  void begins() noexcept {
    looking_ = skip_ == 0;
    if (looking_)
      begun_ = thread_cpu_time();
    else
      --skip_;
  }
  /// Not called for work that fails or starts again.
  void ends(Clock::duration busy) noexcept {
    if (!std::exchange(looking_, false)) return;
    thread_stats_.took(stage_, thread_cpu_time() - begun_, busy);
    if (busy < std::chrono::milliseconds(1)) skip_ = one_in - 1;
  }

 private:
  static constexpr std::uint32_t one_in = 16;
  ThreadStats& thread_stats_;
  Stage stage_;
  std::uint32_t skip_ = 0;
  bool looking_ = false;
  std::chrono::nanoseconds begun_{};
};

/// Nanoseconds that one measurement costs on this machine: two clock reads and add(). It is the
/// median of several bursts. The call takes a few milliseconds.
double measure_reading_ns();

}  // namespace weir::engine
