#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>

/// A softmax of the mean colour of an image, as in trainer.c. C++11.
class Softmax {
 public:
  /// One step of gradient descent for one image. Returns its loss.
  double step(const double* mean, std::int64_t label) {
    if (label < 0 || label >= classes)
      throw std::out_of_range("label " + std::to_string(label) + " is not below " +
                              std::to_string(classes));
    double score[classes], sum = 0;
    for (int k = 0; k < classes; ++k) {
      score[k] = weights_[k][colours];
      for (int c = 0; c < colours; ++c) score[k] += weights_[k][c] * mean[c];
      score[k] = std::exp(score[k]);
      sum += score[k];
    }
    for (int k = 0; k < classes; ++k) {
      const double slope = 0.5 * (score[k] / sum - (k == label ? 1 : 0));
      for (int c = 0; c < colours; ++c) weights_[k][c] -= slope * mean[c];
      weights_[k][colours] -= slope;
    }
    return -std::log(score[label] / sum);
  }

  static const int classes = 10, colours = 3;

 private:
  double weights_[classes][colours + 1] = {};
};
