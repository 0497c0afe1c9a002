#include "photos.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>

namespace peers {
namespace {

int rounded(double value) { return static_cast<int>(std::lround(value)); }

cv::Rect center_crop(const cv::Size& image, const Task& task) {
  const double shorter = std::min(image.width, image.height);
  const int side =
      rounded(shorter * static_cast<double>(task.size) / static_cast<double>(task.short_side()));
  return {(image.width - side) / 2, (image.height - side) / 2, side, side};
}

/// torchvision's RandomResizedCrop: scale 0.08 to 1, aspect 3/4 to 4/3, ten attempts.
cv::Rect random_crop(const cv::Size& image, std::mt19937& random) {
  std::uniform_real_distribution<double> scale(0.08, 1),
      log_ratio(std::log(3. / 4), std::log(4. / 3));
  for (int attempt = 0; attempt < 10; ++attempt) {
    const double area = image.area() * scale(random), ratio = std::exp(log_ratio(random));
    const int width = rounded(std::sqrt(area * ratio)), height = rounded(std::sqrt(area / ratio));
    if (width > image.width || height > image.height) continue;
    const auto at = [&](int room) { return std::uniform_int_distribution<int>(0, room)(random); };
    return {at(image.width - width), at(image.height - height), width, height};
  }
  const int side = std::min(image.width, image.height);
  return {(image.width - side) / 2, (image.height - side) / 2, side, side};
}

}  // namespace

Photos::Photos(const Task& task) : task_(task) {
  cv::setNumThreads(1);  // the workers are the parallelism
  for (const auto& entry : std::filesystem::recursive_directory_iterator(task.folder))
    if (entry.is_regular_file()) files_.push_back(entry.path());
  std::sort(files_.begin(), files_.end());
  std::mt19937 random(1);
  std::vector<std::size_t> epoch(files_.size());
  std::iota(epoch.begin(), epoch.end(), std::size_t{0});
  for (std::size_t i = 0; i < task.epochs; ++i) {
    std::shuffle(epoch.begin(), epoch.end(), random);
    order_.insert(order_.end(), epoch.begin(), epoch.end());
  }
}

void Photos::load(std::size_t i, float* out) const {
  const cv::Mat image = cv::imread(files_[order_[i]], cv::IMREAD_COLOR);
  if (image.empty()) throw std::runtime_error("cannot read " + files_[order_[i]]);
  thread_local std::mt19937 random(std::random_device{}());
  thread_local cv::Mat pixels;
  const auto crop =
      task_.random ? random_crop(image.size(), random) : center_crop(image.size(), task_);
  const int side = static_cast<int>(task_.size);
  cv::resize(image(crop), pixels, {side, side}, 0, 0, cv::INTER_LINEAR);
  if (task_.random && random() % 2 != 0) cv::flip(pixels, pixels, 1);
  const auto* bgr = pixels.ptr<unsigned char>();
  for (std::size_t c = 0; c < 3; ++c) {
    const auto slope = static_cast<float>(1 / (255 * stddev[c]));
    const auto offset = static_cast<float>(-mean[c] / stddev[c]);
    float* plane = out + c * task_.plane();
    for (std::size_t k = 0; k < task_.plane(); ++k)
      plane[k] = static_cast<float>(bgr[3 * k + 2 - c]) * slope + offset;
  }
}

void Photos::load(Tensors& buffer) const {
  buffer.values.resize(task_.batch * task_.values());
  buffer.samples = samples_of(buffer.batch);
  for (std::size_t i = 0; i < buffer.samples; ++i)
    load(buffer.batch * task_.batch + i, buffer.values.data() + i * task_.values());
}

}  // namespace peers
