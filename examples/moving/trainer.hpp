#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>

/// Stands for a network: the mean of what it was shown, by label, the same however images are batched.
class Trainer {
 public:
  /// `count` images of 3 x side x side floats each.
  void learn(const float* images, const std::int64_t* labels, std::size_t count, std::size_t side) {
    const std::size_t values = 3 * side * side;
    for (std::size_t i = 0; i < count; ++i) {
      auto& shown = shown_[labels[i]];
      for (std::size_t k = 0; k < values; ++k) shown.sum += images[i * values + k];
      shown.values += values;
      ++shown.images;
    }
  }
  void print() const {
    for (const auto& [label, shown] : shown_)
      std::printf("class %lld: %zu images, mean %.4f\n", static_cast<long long>(label),
                  shown.images, shown.sum / static_cast<double>(shown.values));
  }

 private:
  struct Shown {
    double sum = 0;
    std::size_t values = 0, images = 0;
  };
  std::map<std::int64_t, Shown> shown_;
};
