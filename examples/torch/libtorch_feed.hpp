#pragma once

#include <torch/data.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "options.hpp"
#include "weir_feed.hpp"  // the same normalisation

namespace trainer {

/// A folder of class folders as a torch::data Dataset, decoded by OpenCV. One pass writes the floats
/// to their final position. That takes less time and memory than a chain of tensor operations.
class FolderDataset : public torch::data::datasets::Dataset<FolderDataset> {
 public:
  struct Index {
    std::vector<std::string> paths;
    std::vector<std::int64_t> labels;
    std::atomic<std::uint64_t> read = 0;
  };

  /// The dataset repeats the images `times` times.
  FolderDataset(const std::string& folder, const Options& options, std::uint64_t times)
      : index_(std::make_shared<Index>()),
        side_(static_cast<int>(options.side)),
        short_side_(static_cast<double>(options.short_side())),
        bfloat16_(options.bfloat16) {
    namespace fs = std::filesystem;
    std::vector<fs::path> classes(fs::directory_iterator(folder), fs::directory_iterator{});
    std::sort(classes.begin(), classes.end());
    for (std::size_t label = 0; label < classes.size(); ++label) {
      std::vector<fs::path> files(fs::directory_iterator(classes[label]), fs::directory_iterator{});
      std::sort(files.begin(), files.end());
      for (const auto& file : files) {
        index_->paths.push_back(file.string());
        index_->labels.push_back(static_cast<std::int64_t>(label));
      }
    }
    const auto once = index_->paths.size();
    for (std::size_t i = once; i < once * times; ++i) {
      index_->paths.push_back(index_->paths[i - once]);
      index_->labels.push_back(index_->labels[i - once]);
    }
  }
  std::shared_ptr<Index> index() const { return index_; }
  torch::optional<std::size_t> size() const override { return index_->paths.size(); }

  torch::data::Example<> get(std::size_t i) override {
    cv::Mat image = cv::imread(index_->paths[i], cv::IMREAD_COLOR);
    if (image.empty()) throw std::runtime_error("cannot read " + index_->paths[i]);
    if (image.rows != side_ || image.cols != side_) {
      const int shorter = std::min(image.rows, image.cols);
      const int crop = static_cast<int>(side_ * shorter / short_side_ + 0.5);
      const cv::Rect middle((image.cols - crop) / 2, (image.rows - crop) / 2, crop, crop);
      cv::resize(image(middle), image, {side_, side_});
    }
    auto tensor = torch::empty({3, side_, side_});
    const auto plane = static_cast<std::size_t>(side_) * static_cast<std::size_t>(side_);
    float* const out = tensor.data_ptr<float>();
    for (std::size_t c = 0; c < 3; ++c) {  // BGR to RGB
      const auto scale = static_cast<float>(normalize.scale / normalize.stddev[c]);
      const auto offset = static_cast<float>(normalize.mean[c] / normalize.stddev[c]);
      for (std::size_t p = 0; p < plane; ++p)
        out[c * plane + p] = static_cast<float>(image.data[p * 3 + 2 - c]) * scale - offset;
    }
    if (bfloat16_) tensor = tensor.to(torch::kBFloat16);
    ++index_->read;
    return {tensor, torch::tensor(index_->labels[i])};
  }

 private:
  std::shared_ptr<Index> index_;
  int side_;
  double short_side_;
  bool bfloat16_;
};

/// Batches with libtorch's own DataLoader.
template <class Sampler>
class LibtorchFeed {
 public:
  class Batch {
   public:
    explicit Batch(const torch::data::Example<>& rows) : rows_(rows) {}
    std::int64_t size() const { return rows_.data.size(0); }
    torch::Tensor images(std::int64_t first, std::int64_t count) const {
      return rows_.data.narrow(0, first, count);
    }
    torch::Tensor labels(std::int64_t first, std::int64_t count) const {
      return rows_.target.narrow(0, first, count);
    }

   private:
    const torch::data::Example<>& rows_;
  };

  LibtorchFeed(const std::string& folder, const Options& options, std::uint64_t times = 1)
      : LibtorchFeed(FolderDataset(folder, options, times), options) {}

  template <class Use>
  void epoch(Use use) {
    for (auto& rows : *loader_) use(Batch(rows));
  }
  template <class Use, class Full>
  void one(Use use, Full full) {
    auto rows = loader_->begin();
    use(Batch(*rows));
    while (index_->read < ahead_) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    full();
  }

 private:
  using Stacked =
      torch::data::datasets::MapDataset<FolderDataset, torch::data::transforms::Stack<>>;

  LibtorchFeed(const FolderDataset& dataset, const Options& options)
      : index_(dataset.index()),
        ahead_(static_cast<std::uint64_t>((options.queue + 1) * options.batch)),
        loader_(torch::data::make_data_loader<Sampler>(
            FolderDataset(dataset).map(torch::data::transforms::Stack<>()),
            torch::data::DataLoaderOptions()
                .batch_size(static_cast<std::size_t>(options.batch))
                .workers(static_cast<std::size_t>(options.workers))
                .max_jobs(static_cast<std::size_t>(options.queue)))) {}

  std::shared_ptr<FolderDataset::Index> index_;
  std::uint64_t ahead_;  ///< images read when the queue is full
  std::unique_ptr<torch::data::StatelessDataLoader<Stacked, Sampler>> loader_;
};

}  // namespace trainer
