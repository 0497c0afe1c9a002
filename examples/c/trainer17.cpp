// The trainer of trainer.c in C++17. It looks at the pixels inside the batch, as cv::Mat(height, width, CV_8UC3, data, stride)
// does, and a progress text resumes it in the middle.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>
#include <weir/c.hpp>

#include "softmax.hpp"

namespace {

/// Sums of each channel, as cv::sum of a matrix of this stride.
void add(const weir_array& image, double (&sums)[3]) {
  for (std::uint64_t y = 0; y < image.shape[0]; ++y) {
    const auto* line = static_cast<const unsigned char*>(image.data) +
                       static_cast<std::int64_t>(y) * image.strides[0];
    for (std::uint64_t x = 0; x < image.shape[1]; ++x, line += image.strides[1])
      for (int c = 0; c < 3; ++c) sums[c] += line[c];
  }
}

struct Losses {
  std::vector<double> sums = std::vector<double>(4);
  unsigned long samples = 0;
};

/// Trains until the end, or for so many batches. Returns the progress.
std::string train(const std::string& data, const std::string& resume, int most_batches,
                  Softmax& model, Losses& losses) {
  weir_c::Loader loader(data, "shape=32x32,batch=20,order=shuffle,seed=3");
  loader.start(4, resume);
  weir_c::Batch batch;
  for (int i = 0; i != most_batches && loader.next(batch); ++i) {
    const auto info = batch.info();
    const auto* const labels = batch.values<std::int64_t>("labels");
    for (std::uint32_t row = 0; row < info.rows; ++row) {
      const auto image = batch.image(row);
      double mean[3] = {};
      add(image, mean);
      for (auto& value : mean)
        value = value / (255.0 * static_cast<double>(image.shape[0] * image.shape[1])) - 0.5;
      losses.sums[info.epoch] += model.step(mean, labels[row]);
      ++losses.samples;
    }
    batch.finish();
  }
  return loader.progress();
}

}  // namespace

int main(int argc, char** argv) try {
  const std::string data = argc > 1 ? argv[1] : "synthetic:200,48x64";
  Softmax model;
  Losses losses;
  const auto half = train(data, "", 13, model, losses);
  train(data, half, -1, model, losses);
  const auto each = static_cast<double>(losses.samples / losses.sums.size());
  std::printf("%lu samples, loss %.3f, then %.3f\n", losses.samples, losses.sums.front() / each,
              losses.sums.back() / each);
  return losses.sums.back() < losses.sums.front() ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "trainer17: %s\n", e.what());
  return 1;
}
