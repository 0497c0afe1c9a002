#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "report/figures.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// At most `most` points at equal intervals. When the list is full, every second point is removed and
/// the interval doubles.
class EvenPoints {
 public:
  EvenPoints(std::size_t most, std::chrono::steady_clock::duration interval)
      : most_(most), interval_(interval) {}

  void add(report::TimelinePoint point);
  std::chrono::steady_clock::duration interval() const noexcept { return interval_; }
  std::vector<report::TimelinePoint> take() && { return std::move(points_); }

 private:
  std::size_t most_;
  std::chrono::steady_clock::duration interval_;
  std::vector<report::TimelinePoint> points_;
};

/// Records points of a loader from construction until stop(), every 50 ms at first and less often in a
/// long run. The Loader must outlive it.
class Timeline {
 public:
  explicit Timeline(const Loader& loader);
  /// Adds a last point. Returns at most 240 points, oldest first. A second call returns nothing.
  std::vector<report::TimelinePoint> stop();

 private:
  void watch(const std::stop_token& stop);
  report::TimelinePoint look() const;

  const Loader& loader_;
  std::chrono::steady_clock::time_point start_;
  EvenPoints points_;
  std::jthread thread_;
};

}  // namespace weir::cli
