// A hand-written loader, as in many trainers: one folder for each class, OpenCV, threads, a queue of batches.
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <mutex>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "trainer.hpp"

namespace fs = std::filesystem;

constexpr std::size_t side = 64, batch_size = 16, queue_size = 4;
constexpr float mean[] = {0.485F, 0.456F, 0.406F}, stddev[] = {0.229F, 0.224F, 0.225F};

struct HostBatch {
  std::vector<float> images;
  std::vector<std::int64_t> labels;
};

class HandLoader {
 public:
  HandLoader(const fs::path& root, unsigned threads) : working_(threads) {
    std::vector<fs::path> classes;
    for (const auto& entry : fs::directory_iterator(root))
      if (entry.is_directory()) classes.push_back(entry.path());
    std::ranges::sort(classes);
    for (std::size_t label = 0; label < classes.size(); ++label)
      for (const auto& entry : fs::recursive_directory_iterator(classes[label]))
        if (entry.is_regular_file())
          samples_.emplace_back(entry.path().string(), static_cast<std::int64_t>(label));
    std::ranges::shuffle(samples_, std::mt19937_64(7));
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~HandLoader() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    space_.notify_all();
    for (auto& thread : threads_) thread.join();
  }

  std::optional<HostBatch> next() {
    std::unique_lock lock(mutex_);
    ready_.wait(lock, [this] { return !queue_.empty() || working_ == 0; });
    if (queue_.empty()) return std::nullopt;
    auto batch = std::move(queue_.front());
    queue_.pop();
    space_.notify_one();
    return batch;
  }

 private:
  void work() {
    std::unique_lock lock(mutex_);
    while (!stop_ && next_ < samples_.size()) {
      const auto first = next_;
      next_ += batch_size;
      lock.unlock();
      auto batch = load(first, std::min(first + batch_size, samples_.size()));
      lock.lock();
      space_.wait(lock, [this] { return stop_ || queue_.size() < queue_size; });
      queue_.push(std::move(batch));
      ready_.notify_one();
    }
    --working_;
    ready_.notify_all();
  }

  HostBatch load(std::size_t first, std::size_t last) const {
    HostBatch batch;
    for (auto i = first; i < last; ++i) {
      const auto& [path, label] = samples_[i];
      cv::Mat image = cv::imread(path, cv::IMREAD_COLOR), small;
      if (image.empty()) {
        std::cerr << "cannot read " << path << '\n';
        continue;
      }
      cv::resize(image, small, cv::Size(side, side));
      cv::cvtColor(small, small, cv::COLOR_BGR2RGB);
      for (int c = 0; c < 3; ++c)
        for (int y = 0; y < small.rows; ++y)
          for (int x = 0; x < small.cols; ++x)
            batch.images.push_back(
                (static_cast<float>(small.at<cv::Vec3b>(y, x)[c]) / 255 - mean[c]) / stddev[c]);
      batch.labels.push_back(label);
    }
    return batch;
  }

  std::vector<std::pair<std::string, std::int64_t>> samples_;
  std::size_t next_ = 0;
  unsigned working_;
  bool stop_ = false;
  std::queue<HostBatch> queue_;
  std::mutex mutex_;
  std::condition_variable ready_, space_;
  std::vector<std::thread> threads_;
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Trainer trainer;
  HandLoader loader(argv[1], 2);
  while (const auto batch = loader.next())
    trainer.learn(batch->images.data(), batch->labels.data(), batch->labels.size(), side);
  trainer.print();
}
