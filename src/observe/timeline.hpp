#pragma once

#include <algorithm>
#include <chrono>
#include <exception>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/pause.hpp"
#include "observe/even_points.hpp"
#include "weir/loader.hpp"

namespace weir::observe {

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
