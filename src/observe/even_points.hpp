#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "report/figures.hpp"

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

}  // namespace weir::observe
