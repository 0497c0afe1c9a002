#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "weir/report.hpp"

namespace weir::engine {

/// What a loader's streams spent their time on. Any thread.
class Clocks {
 public:
  explicit Clocks(std::uint32_t max_queue_size) : occupied_(max_queue_size + 1) {}

  void add(Stage stage, Clock::duration busy) noexcept {
    auto& meter = stages_[static_cast<std::size_t>(stage)];
    meter.count.fetch_add(1, std::memory_order_relaxed);
    meter.busy_ns.fetch_add(std::chrono::nanoseconds(busy).count(), std::memory_order_relaxed);
  }
  void add_worker_idle(Clock::duration idle) noexcept {
    worker_idle_ns_.fetch_add(std::chrono::nanoseconds(idle).count(), std::memory_order_relaxed);
  }

  void stream_opened();
  void stream_ended();
  /// One batch more or less is ready from now on.
  void ready_changed(int by);
  /// A batch of `samples` was handed to the consumer, which waited for it that long.
  void delivered(std::uint64_t samples, bool was_ready, Clock::duration waited);

  std::vector<StageClock> stages() const;
  QueueClock queue(std::uint32_t workers) const;
  Throughput throughput() const;

 private:
  struct Meter {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::int64_t> busy_ns{0};
  };
  void settle_depth(Clock::time_point now) WEIR_REQUIRES(mutex_);

  std::array<Meter, stage_count> stages_;
  std::atomic<std::int64_t> worker_idle_ns_{0};
  mutable Mutex mutex_;
  std::vector<Clock::duration> occupied_ WEIR_GUARDED_BY(mutex_);
  std::uint32_t depth_ WEIR_GUARDED_BY(mutex_) = 0;
  Clock::time_point depth_since_ WEIR_GUARDED_BY(mutex_){};
  Clock::duration consumer_wait_ WEIR_GUARDED_BY(mutex_){};
  std::uint64_t asked_ WEIR_GUARDED_BY(mutex_) = 0, found_ready_ WEIR_GUARDED_BY(mutex_) = 0;
  std::uint64_t samples_ WEIR_GUARDED_BY(mutex_) = 0;
  std::optional<Clock::time_point> opened_ WEIR_GUARDED_BY(mutex_), ended_ WEIR_GUARDED_BY(mutex_);
  std::optional<Clock::time_point> stream_opened_ WEIR_GUARDED_BY(mutex_);
  std::optional<Clock::duration> first_batch_ WEIR_GUARDED_BY(mutex_);
};

}  // namespace weir::engine
