#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace weir::test {

struct Point {
  double x = 0, y = 0;
};

/// The least-squares line through points: its slope and the standard error of the slope, sqrt(sum
/// of squared residuals / (n - 2) / sum of (x - mean)^2).
struct Trend {
  double slope = 0, error = 0;

  static Trend of(std::span<const Point> points) {
    const auto n = static_cast<double>(points.size());
    if (points.size() < 3) return {};
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0;
    for (const auto& p : points) {
      mean_x += p.x / n;
      mean_y += p.y / n;
    }
    for (const auto& p : points) {
      xx += (p.x - mean_x) * (p.x - mean_x);
      xy += (p.x - mean_x) * (p.y - mean_y);
    }
    if (xx <= 0) return {};
    const double slope = xy / xx;
    for (const auto& p : points) {
      const double off = p.y - mean_y - slope * (p.x - mean_x);
      rest += off * off;
    }
    return {slope, std::sqrt(rest / (n - 2) / xx)};
  }
};

}  // namespace weir::test
