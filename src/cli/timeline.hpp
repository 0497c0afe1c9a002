#pragma once

#include <chrono>
#include <cstddef>
#include <thread>
#include <utility>
#include <vector>

#include "report/figures.hpp"
#include "weir/loader.hpp"

namespace weir::cli {

/// Points at even distances, however long the run: where there are `most`, every second one goes and
/// the distance doubles.
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

/// Looks at a loader every 50 ms (less often in a long run) from construction until stop(). Lives
/// no longer than the Loader.
class Timeline {
 public:
  explicit Timeline(const Loader& loader);
  /// Takes a last look. At most 240 points, oldest first; empty on a second call.
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
