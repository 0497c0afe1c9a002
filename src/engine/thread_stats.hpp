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

/// What a thread notes its times in. Any thread may add; each worker has a lane of its own, so that
/// workers do not write to one another's cache lines. Lanes are added up when they are read.
class ThreadStats {
 public:
  /// For the first `stages` of the stages.
  explicit ThreadStats(std::size_t stages) : meters_(stages) {}

  void add(Stage stage, Clock::duration busy, std::uint64_t bytes) noexcept;
  /// Adds count, times and bytes to `clock`, whose percentiles are of `counts`.
  void add_to(StageStats& clock, TimeHistogram::Counts& counts) const;

  /// One piece of the stage's work: its CPU time, of how much on the clock.
  void took(Stage stage, std::chrono::nanoseconds cpu, Clock::duration busy) noexcept;

  // -- the lane's one worker
  void read_begins(Clock::time_point now) noexcept;
  void read_ends(Clock::time_point now) noexcept;
  // -- any thread
  /// Spent in reads, the one under way included.
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
  /// Between reads: the time they took. In one: that less the instant it began. One word, so that
  /// whoever looks sees one or the other; which of them, the sign tells, since time spent cannot
  /// exceed the time since the clock's zero.
  std::atomic<Clock::rep> reading_{0};
};

/// A worker's read, from construction until it ends or is left.
class Reading {
 public:
  /// `lane` null: nobody's.
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

/// The CPU time of one read or decode in sixteen, the thread's first among them: asking for it costs
/// more than a look at the clock. One thread.
class StageCpu {
 public:
  StageCpu(ThreadStats& thread_stats, Stage stage) noexcept
      : thread_stats_(thread_stats), stage_(stage) {}
  void begins() noexcept {
    looking_ = count_++ % one_in == 0;
    if (looking_) begun_ = thread_cpu_time();
  }
  /// Not called for what fails or has to be begun again.
  void ends(Clock::duration busy) noexcept {
    if (std::exchange(looking_, false))
      thread_stats_.took(stage_, thread_cpu_time() - begun_, busy);
  }

 private:
  static constexpr std::uint32_t one_in = 16;
  ThreadStats& thread_stats_;
  Stage stage_;
  std::uint32_t count_ = 0;
  bool looking_ = false;
  std::chrono::nanoseconds begun_{};
};

/// Nanoseconds that one reading costs on this machine, now: two looks at the clock and add(). The
/// median of several bursts; takes a few milliseconds.
double measure_reading_ns();

}  // namespace weir::engine
