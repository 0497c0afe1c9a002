#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/pause.hpp"
#include "report/figures.hpp"
#include "weir/loader.hpp"

namespace weir::observe {

/// At most `most` points at equal intervals. When the list is full, every second point is removed and
/// the interval doubles.
class EvenPoints {
 public:
  EvenPoints(std::size_t most, Clock::duration interval) : most_(most), interval_(interval) {}

  void add(report::TimelinePoint point) {
    if (points_.size() == most_) {
      // The first point is kept.
      for (std::size_t i = 1; 2 * i < points_.size(); ++i) points_[i] = points_[2 * i];
      points_.resize((points_.size() + 1) / 2);
      interval_ *= 2;
    }
    points_.push_back(point);
  }
  Clock::duration interval() const noexcept { return interval_; }
  std::vector<report::TimelinePoint> take() && { return std::move(points_); }

 private:
  std::size_t most_;
  Clock::duration interval_;
  std::vector<report::TimelinePoint> points_;
};

/// Records points of a loader from construction until stop(), every 50 ms at first and less often in a
/// long run. The Loader must outlive it.
class Timeline {
 public:
  explicit Timeline(const Loader& loader)
      : loader_(loader), thread_([this](const std::stop_token& stop) {
          try {
            watch(stop);
          } catch (const std::exception&) {
            // Without memory for a point, the timeline ends here.
          }
        }) {}
  /// Adds a last point. Returns at most 240 points, oldest first. A second call returns nothing.
  std::vector<report::TimelinePoint> stop() {
    if (!thread_.joinable()) return {};
    thread_.request_stop();
    thread_.join();
    points_.add(look());
    return std::move(points_).take();
  }
  double interval_s() const noexcept { return seconds(points_.interval()); }

 private:
  void watch(const std::stop_token& stop) {
    auto due = start_;
    do {
      points_.add(look());
      due = std::max(due + points_.interval(), Clock::now());
    } while (pause(stop, due - Clock::now()));
  }
  report::TimelinePoint look() const {
    const auto now = loader_.snapshot();
    return {.seconds = seconds(Clock::now() - start_),
            .consumed = now.samples.consumed,
            .filling = now.filling,
            .ready = now.ready,
            .leased = now.leased,
            .live = now.memory.live,
            .accounts = now.memory.accounts};
  }

  const Loader& loader_;
  const Clock::time_point start_ = Clock::now();
  EvenPoints points_{240, std::chrono::milliseconds(50)};
  std::jthread thread_;
};

}  // namespace weir::observe
