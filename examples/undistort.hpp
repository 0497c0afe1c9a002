#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory_resource>
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <weir/image.hpp>

/// A camera with barrel distortion. The undistorted image has no empty corners, so its size is another.
class Camera {
 public:
  /// A reconstruction would give focal length and coefficients of each camera.
  explicit Camera(weir::ImageSize size)
      : width_(size.width), height_(size.height), focal_(0.8 * std::max(width_, height_)) {}

  weir::ImageSize undistorted() const { return {side(height_), side(width_)}; }

  /// Writes for `lines` of the undistorted image, from `first` on, where their pixels lie in the image.
  void map(int first, cv::Mat& across, cv::Mat& down) const {
    const auto [height, width] = undistorted();
    for (int y = 0; y < across.rows; ++y) {
      const double v = (first + y + 0.5 - height / 2.0) / focal_;
      auto *const xs = across.ptr<float>(y), *const ys = down.ptr<float>(y);
      for (int x = 0; x < across.cols; ++x) {
        const double u = (x + 0.5 - width / 2.0) / focal_, squares = u * u + v * v;
        const double factor = 1 + squares * (k1 + squares * k2);
        xs[x] = static_cast<float>(u * factor * focal_ + width_ / 2 - 0.5);
        ys[x] = static_cast<float>(v * factor * focal_ + height_ / 2 - 0.5);
      }
    }
  }

 private:
  static constexpr double k1 = -0.1, k2 = 0.01;

  /// Such that the middle of an edge stays the middle of an edge.
  std::uint32_t side(double distorted) const {
    const double wanted = distorted / 2 / focal_;
    double u = wanted;
    for (int i = 0; i < 30; ++i) u = wanted / (1 + u * u * (k1 + u * u * k2));
    return static_cast<std::uint32_t>(2 * focal_ * u);
  }

  double width_, height_, focal_;
};

/// The most memory that undistort() takes for images whose undistorted size is at most `largest`.
inline std::uint64_t undistort_bytes(weir::ImageSize largest) {
  return std::uint64_t{48} * 36 * largest.width + (1u << 16);
}

/// Undistorts `image` and makes it smaller to `row` (cv::INTER_AREA, or INTER_LINEAR), a few lines at a
/// time: the undistorted image and its maps never exist as a whole.
inline void undistort(const cv::Mat& image, const Camera& camera, cv::Mat row, int interpolation,
                      std::pmr::memory_resource& memory) {
  constexpr int lines = 32;
  const auto [height, width] = camera.undistorted();
  const double scale = static_cast<double>(height) / row.rows;
  const int channels = image.channels(), most = lines + 3;
  const auto made = [&](int cols, int type) {
    return cv::Mat(most, cols, type,
                   memory.allocate(static_cast<std::size_t>(most * cols * CV_ELEM_SIZE(type))));
  };
  auto across = made(int(width), CV_32F), down = made(int(width), CV_32F);
  auto band = made(int(width), image.type()), floats = made(int(width), CV_32FC(channels));
  auto narrow = made(row.cols, CV_32FC(channels)), sum = made(row.cols, CV_32FC(channels));
  const auto step = std::max(1, static_cast<int>(lines / scale));
  for (int y = 0; y < row.rows; y += step) {
    const int end = std::min(y + step, row.rows);
    const auto first = static_cast<int>(y * scale),
               last = std::min(static_cast<int>(height), static_cast<int>(std::ceil(end * scale)));
    const cv::Range few(0, last - first);
    auto xs = across(few, cv::Range::all()), ys = down(few, cv::Range::all());
    camera.map(first, xs, ys);
    if (scale == 1) {
      cv::remap(image, row.rowRange(y, end), xs, ys, cv::INTER_LINEAR);
      continue;
    }
    cv::remap(image, band(few, cv::Range::all()), xs, ys, cv::INTER_LINEAR);
    const auto small = narrow(few, cv::Range::all());
    band(few, cv::Range::all()).convertTo(floats(few, cv::Range::all()), CV_32F);
    cv::resize(floats(few, cv::Range::all()), small, small.size(), 0, 0, interpolation);
    for (int out = y; out < end; ++out) {
      // The lines that make this one: a box, or the two around its middle.
      const bool area = interpolation == cv::INTER_AREA;
      const double middle = (out + 0.5) * scale, half = area ? scale / 2 : 1;
      sum.row(0) = cv::Scalar::all(0);
      for (int k = 0; k < small.rows; ++k) {
        const double at = first + k;
        const double share = area ? std::min(at + 1, middle + half) - std::max(at, middle - half)
                                  : half - std::abs(at + 0.5 - middle);
        if (share > 0)
          cv::scaleAdd(small.row(k), share / (area ? scale : 1), sum.row(0), sum.row(0));
      }
      sum.row(0).convertTo(row.row(out), row.type());
    }
  }
}
