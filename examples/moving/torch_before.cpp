// Images of a folder with libtorch's DataLoader: a custom dataset that reads with OpenCV.
#include <torch/torch.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "trainer.hpp"

namespace fs = std::filesystem;

constexpr int side = 64, batch_size = 16;

class ImageFolder : public torch::data::datasets::Dataset<ImageFolder> {
 public:
  explicit ImageFolder(const fs::path& root) {
    std::vector<fs::path> classes;
    for (const auto& entry : fs::directory_iterator(root))
      if (entry.is_directory()) classes.push_back(entry.path());
    std::sort(classes.begin(), classes.end());
    for (std::size_t label = 0; label < classes.size(); ++label)
      for (const auto& entry : fs::recursive_directory_iterator(classes[label]))
        if (entry.is_regular_file())
          samples_.emplace_back(entry.path().string(), static_cast<std::int64_t>(label));
  }
  torch::data::Example<> get(std::size_t i) override {
    const auto& [path, label] = samples_[i];
    cv::Mat image = cv::imread(path, cv::IMREAD_COLOR), small;
    if (image.empty()) throw std::runtime_error("cannot read " + path);
    cv::resize(image, small, cv::Size(side, side));
    cv::cvtColor(small, small, cv::COLOR_BGR2RGB);
    auto pixels = torch::from_blob(small.data, {side, side, 3}, torch::kUInt8);
    auto values = pixels.permute({2, 0, 1}).to(torch::kFloat32).div_(255).sub_(0.5).div_(0.5);
    return {values.contiguous(), torch::tensor(label)};
  }
  torch::optional<std::size_t> size() const override { return samples_.size(); }

 private:
  std::vector<std::pair<std::string, std::int64_t>> samples_;
};

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  Trainer trainer;
  auto set = ImageFolder(argv[1]).map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::RandomSampler>(
      std::move(set), torch::data::DataLoaderOptions().batch_size(batch_size).workers(2));
  for (auto& batch : *loader)
    trainer.learn(batch.data.data_ptr<float>(), batch.target.data_ptr<std::int64_t>(),
                  static_cast<std::size_t>(batch.data.size(0)), side);
  trainer.print();
}
