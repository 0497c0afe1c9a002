// The trainer of trainer.c in C++11. It copies each batch into matrices of its own, as trainers with dlib do.
#include <cstdio>
#include <exception>
#include <vector>
#include <weir/c.hpp>

#include "softmax.hpp"

namespace {

struct Pixel {
  unsigned char red, green, blue;
};

/// As dlib::matrix<dlib::rgb_pixel>.
struct Matrix {
  long rows, columns;
  std::vector<Pixel> pixels;
};

Matrix matrix_of(const weir_array& image) {
  Matrix matrix{static_cast<long>(image.shape[0]), static_cast<long>(image.shape[1]), {}};
  for (long y = 0; y < matrix.rows; ++y) {
    const auto* line = static_cast<const unsigned char*>(image.data) + y * image.strides[0];
    for (long x = 0; x < matrix.columns; ++x, line += image.strides[1])
      matrix.pixels.push_back({line[0], line[1], line[2]});
  }
  return matrix;
}

int train(const char* data) {
  const int epochs = 4;
  weir_c::Loader loader(data, "shape=32x32,batch=20,order=shuffle,seed=3");
  loader.start(epochs);
  Softmax model;
  double loss[epochs] = {};
  unsigned long samples = 0;
  for (weir_c::Batch batch; loader.next(batch);) {
    const auto info = batch.info();
    std::vector<Matrix> images;
    for (std::uint32_t row = 0; row < info.rows; ++row)
      images.push_back(matrix_of(batch.image(row)));
    const auto* const all_labels = batch.values<std::int64_t>("labels");
    const std::vector<std::int64_t> labels(all_labels, all_labels + info.rows);
    batch.release(true);
    for (std::size_t i = 0; i < images.size(); ++i) {
      double mean[3] = {};
      for (const Pixel& pixel : images[i].pixels) {
        mean[0] += pixel.red;
        mean[1] += pixel.green;
        mean[2] += pixel.blue;
      }
      for (double& value : mean)
        value = value / (255.0 * static_cast<double>(images[i].pixels.size())) - 0.5;
      loss[info.epoch] += model.step(mean, labels[i]);
      ++samples;
    }
  }
  const auto each = static_cast<double>(samples / epochs);
  std::printf("%lu samples, loss %.3f, then %.3f\n", samples, loss[0] / each,
              loss[epochs - 1] / each);
  return loss[epochs - 1] < loss[0] ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return train(argc > 1 ? argv[1] : "synthetic:200,48x64");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "trainer11: %s\n", e.what());
    return 1;
  }
}
