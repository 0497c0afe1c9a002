#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <map>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <stdexcept>
#include <thread>
#include <utility>

#include "batch.hpp"

namespace replacing {

/// A typical hand-written loader: paths and labels in vectors, an order that is shuffled each epoch,
/// worker threads that make one batch of floats each, and a queue of batches. One consumer thread.
class HandWrittenLoader {
 public:
  explicit HandWrittenLoader(const Settings& settings)
      : settings_(settings), random_(static_cast<std::mt19937::result_type>(settings.seed)) {
    namespace fs = std::filesystem;
    for (const auto& entry : fs::directory_iterator(settings_.root))
      if (entry.is_directory()) class_names_.push_back(entry.path().filename().string());
    std::sort(class_names_.begin(), class_names_.end());
    for (std::size_t label = 0; label < class_names_.size(); ++label) {
      std::vector<std::string> files;
      for (const auto& entry :
           fs::directory_iterator(fs::path(settings_.root) / class_names_[label]))
        if (entry.is_regular_file()) files.push_back(entry.path().string());
      std::sort(files.begin(), files.end());
      for (auto& file : files) {
        paths_.push_back(std::move(file));
        labels_.push_back(static_cast<std::int64_t>(label));
      }
    }
    if (paths_.empty()) throw std::runtime_error("no images in " + settings_.root);
    for (std::size_t i = 0; i < paths_.size(); ++i) order_.push_back(i);
  }
  ~HandWrittenLoader() { stop(); }
  HandWrittenLoader(const HandWrittenLoader&) = delete;
  HandWrittenLoader& operator=(const HandWrittenLoader&) = delete;

  std::size_t size() const { return paths_.size(); }
  const std::vector<std::string>& class_names() const { return class_names_; }

  /// False at the end of the epoch. The next call begins another one.
  bool next(FloatBatch& out) {
    if (threads_.empty()) start();
    std::unique_lock lock(mutex_);
    if (given_ == batches()) {
      lock.unlock();
      stop();
      return false;
    }
    changed_.wait(lock, [&] { return failure_ || ready_.contains(given_); });
    if (failure_) std::rethrow_exception(failure_);
    out = std::move(ready_.extract(given_++).mapped());
    changed_.notify_all();
    return true;
  }

 private:
  std::size_t batches() const { return (paths_.size() + settings_.batch - 1) / settings_.batch; }

  void start() {
    if (settings_.shuffle) std::shuffle(order_.begin(), order_.end(), random_);
    begun_ = given_ = 0;
    stopped_ = false;
    for (std::uint32_t i = 0; i < settings_.workers; ++i) threads_.emplace_back([this] { work(); });
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    changed_.notify_all();
    for (auto& thread : threads_) thread.join();
    threads_.clear();
    ready_.clear();
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] {
        return stopped_ || begun_ == batches() || begun_ < given_ + settings_.queue;
      });
      if (stopped_ || begun_ == batches()) return;
      const auto number = begun_++;
      lock.unlock();
      FloatBatch batch;
      std::exception_ptr failure;
      try {
        batch = load(number);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      ready_[number] = std::move(batch);
      changed_.notify_all();
    }
  }

  FloatBatch load(std::size_t number) const {
    const auto first = number * settings_.batch;
    const auto count = std::min<std::size_t>(settings_.batch, paths_.size() - first);
    const std::size_t plane = std::size_t{settings_.side} * settings_.side;
    FloatBatch batch;
    batch.images.resize(count * 3 * plane);
    for (std::size_t i = 0; i < count; ++i) {
      const auto sample = order_[first + i];
      cv::Mat image = cv::imread(paths_[sample], cv::IMREAD_COLOR);
      if (image.empty()) throw std::runtime_error("cannot read " + paths_[sample]);
      const int side = static_cast<int>(settings_.side);
      cv::resize(image, image, {side, side});
      float* const out = batch.images.data() + i * 3 * plane;
      for (std::size_t p = 0; p < plane; ++p)
        for (std::size_t c = 0; c < 3; ++c)  // BGR to RGB, and 0..255 to [-1, 1]
          out[c * plane + p] = static_cast<float>(image.data[p * 3 + 2 - c]) / 255 * 2 - 1;
      batch.labels.push_back(labels_[sample]);
      batch.paths.push_back(paths_[sample]);
    }
    return batch;
  }

  Settings settings_;
  std::vector<std::string> class_names_, paths_;
  std::vector<std::int64_t> labels_;
  std::vector<std::size_t> order_;
  std::mt19937 random_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  std::map<std::size_t, FloatBatch> ready_;
  std::size_t begun_ = 0, given_ = 0;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace replacing
